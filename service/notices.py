"""What does the service itself say to a visitor, in the visitor's language?"""

from dataclasses import dataclass
from typing import Literal

Wording = Literal["generated", "excerpts"]


@dataclass(frozen=True, slots=True)
class Sentences:
    """The fixed sentences of one language.

    Attributes:
        generated: Says that an AI wrote the answer.
        excerpts: Says that a machine chose excerpts and nobody wrote them for this question.
        excerpts_label: Stands above excerpts.
        unknown: The content does not say it.
        declined: The question is not about the site.
        contact: Where to ask instead; `{contact}` is the address.
    """

    generated: str
    excerpts: str
    excerpts_label: str
    unknown: str
    declined: str
    contact: str


_BY_LANGUAGE = {
    "en": Sentences(
        "This answer was written by an AI from the content of this site. It can be wrong: "
        "check the linked pages.",
        "You are talking to an automated system, an AI without a person behind it. It shows "
        "excerpts from this site that match your question.",
        "Excerpts from the site:",
        "The content of this site does not say anything about that.",
        "That is not a question about this site, so it is not answered here.",
        "You can ask directly: {contact}",
    ),
    "es": Sentences(
        "Esta respuesta la ha escrito una IA a partir del contenido de este sitio. Puede contener "
        "errores: compruebe las páginas enlazadas.",
        "Está hablando con un sistema automático, una IA sin ninguna persona detrás. Muestra "
        "fragmentos de este sitio que coinciden con su pregunta.",
        "Fragmentos del sitio:",
        "El contenido de este sitio no dice nada al respecto.",
        "Esa pregunta no trata de este sitio, por lo que aquí no se responde.",
        "Puede preguntar directamente: {contact}",
    ),
    "de": Sentences(
        "Diese Antwort hat eine KI aus den Inhalten dieser Website geschrieben. Sie kann falsch "
        "sein: Bitte prüfen Sie die verlinkten Seiten.",
        "Sie sprechen mit einem automatischen System, einer KI, hinter der kein Mensch sitzt. Es "
        "zeigt Auszüge aus dieser Website, die zu Ihrer Frage passen.",
        "Auszüge aus der Website:",
        "Die Inhalte dieser Website sagen dazu nichts.",
        "Das ist keine Frage zu dieser Website und wird hier nicht beantwortet.",
        "Fragen Sie am besten direkt: {contact}",
    ),
    "fr": Sentences(
        "Cette réponse a été rédigée par une IA à partir du contenu de ce site. Elle peut être "
        "erronée : vérifiez les pages liées.",
        "Vous parlez à un système automatique, une IA sans personne derrière. Il affiche des "
        "extraits de ce site qui correspondent à votre question.",
        "Extraits du site :",
        "Le contenu de ce site ne dit rien à ce sujet.",
        "Cette question ne porte pas sur ce site ; elle ne reçoit donc pas de réponse ici.",
        "Vous pouvez demander directement : {contact}",
    ),
    "pt": Sentences(
        "Esta resposta foi escrita por uma IA a partir do conteúdo deste site. Pode conter erros: "
        "confira as páginas indicadas.",
        "Você está falando com um sistema automático, uma IA sem nenhuma pessoa por trás. Ele "
        "mostra trechos deste site que correspondem à sua pergunta.",
        "Trechos do site:",
        "O conteúdo deste site não diz nada sobre isso.",
        "Essa pergunta não é sobre este site, por isso não é respondida aqui.",
        "Você pode perguntar diretamente: {contact}",
    ),
    "it": Sentences(
        "Questa risposta è stata scritta da un'IA a partire dai contenuti di questo sito. Può "
        "contenere errori: verifichi le pagine collegate.",
        "Sta parlando con un sistema automatico, un'IA senza nessuna persona dietro. Mostra "
        "estratti di questo sito che corrispondono alla sua domanda.",
        "Estratti dal sito:",
        "I contenuti di questo sito non dicono nulla al riguardo.",
        "Questa domanda non riguarda il sito, quindi qui non riceve risposta.",
        "Può chiedere direttamente: {contact}",
    ),
    "nl": Sentences(
        "Dit antwoord is door een AI geschreven op basis van de inhoud van deze site. Het kan "
        "onjuist zijn: controleer de gelinkte pagina's.",
        "U praat met een automatisch systeem, een AI waar geen mens achter zit. Het toont "
        "fragmenten van deze site die bij uw vraag passen.",
        "Fragmenten van de site:",
        "De inhoud van deze site zegt daar niets over.",
        "Die vraag gaat niet over deze site en wordt hier niet beantwoord.",
        "U kunt het rechtstreeks vragen: {contact}",
    ),
    "no": Sentences(
        "Dette svaret er skrevet av en KI ut fra innholdet på dette nettstedet. Det kan være feil: "
        "sjekk sidene det lenkes til.",
        "Du snakker med et automatisk system, en KI uten noe menneske bak. Det viser utdrag fra "
        "dette nettstedet som passer til spørsmålet ditt.",
        "Utdrag fra nettstedet:",
        "Innholdet på dette nettstedet sier ikke noe om det.",
        "Det spørsmålet handler ikke om dette nettstedet og blir ikke besvart her.",
        "Du kan spørre direkte: {contact}",
    ),
    "sv": Sentences(
        "Det här svaret har skrivits av en AI utifrån innehållet på den här webbplatsen. Det kan "
        "vara fel: kontrollera sidorna som länkas.",
        "Du pratar med ett automatiskt system, en AI utan någon människa bakom. Det visar utdrag "
        "från den här webbplatsen som passar din fråga.",
        "Utdrag från webbplatsen:",
        "Innehållet på den här webbplatsen säger inget om det.",
        "Den frågan handlar inte om den här webbplatsen och besvaras inte här.",
        "Du kan fråga direkt: {contact}",
    ),
    "da": Sentences(
        "Dette svar er skrevet af en AI ud fra indholdet på dette websted. Det kan være forkert: "
        "tjek de sider, der henvises til.",
        "Du taler med et automatisk system, en AI uden et menneske bag. Det viser uddrag fra dette "
        "websted, som passer til dit spørgsmål.",
        "Uddrag fra webstedet:",
        "Indholdet på dette websted siger ikke noget om det.",
        "Det spørgsmål handler ikke om dette websted og bliver ikke besvaret her.",
        "Du kan spørge direkte: {contact}",
    ),
    "pl": Sentences(
        "Tę odpowiedź napisała sztuczna inteligencja na podstawie treści tej witryny. Może "
        "zawierać błędy: proszę sprawdzić podlinkowane strony.",
        "To automatyczny system, sztuczna inteligencja, za którą nie stoi żaden człowiek. Pokazuje "
        "fragmenty tej witryny pasujące do pytania.",
        "Fragmenty z witryny:",
        "Treści tej witryny nic o tym nie mówią.",
        "To pytanie nie dotyczy tej witryny, więc nie otrzyma tu odpowiedzi.",
        "Można zapytać bezpośrednio: {contact}",
    ),
    "ja": Sentences(
        "この回答は、このサイトの内容をもとにAIが作成しました。誤りがあるかもしれません。"
        "リンク先のページをご確認ください。",
        "これは人間ではなく自動システム(AI)です。ご質問に合うこのサイトの抜粋を表示しています。",
        "サイトからの抜粋:",
        "このサイトの内容には、それについての記述がありません。",
        "このサイトに関する質問ではないため、ここではお答えしません。",
        "直接お問い合わせください: {contact}",
    ),
    "zh": Sentences(
        "此回答由人工智能根据本网站的内容撰写,可能有误,请查看所链接的页面。",
        "您正在与自动系统(人工智能)对话,背后没有真人。它显示本网站中与您的问题相符的摘录。",
        "网站摘录:",
        "本网站的内容没有提到这一点。",
        "这个问题与本网站无关,因此不在此回答。",
        "您可以直接询问:{contact}",
    ),
}
_SAME = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh", "gl": "pt"}
LANGUAGES = frozenset(_BY_LANGUAGE)


def sentences(language: str) -> Sentences:
    """The sentences of a language code such as `pt-br`; English where there are none."""
    primary = language.lower().split("-", 1)[0]
    return _BY_LANGUAGE.get(_SAME.get(primary, primary), _BY_LANGUAGE["en"])


def notice(language: str, wording: Wording) -> str:
    """Says plainly that a machine answers, and how."""
    spoken = sentences(language)
    return spoken.generated if wording == "generated" else spoken.excerpts
