"""Each way to write a secret, with an example; made up, never of an account that exists."""

import re

import pytest

from ingestion.git.secret_patterns import AFTER_A_NAME, ANYWHERE, WORDS, Rule
from ingestion.git.secret_tokens import TOKENS
from ingestion.git.secrets import without_secrets

_VALUE = "Tq7mZ4vKp9Rw2XcB6n"
_HEX = "4f9a1c7b2e8d3a6f" * 4
_LONG = _VALUE * 9

RULES = {
    "a string that is assigned, compared or handed over": 'password = "it\'s9J8cNd9tto"',
    "a value without quotes, in YAML with an anchor or a tag": f"password: &pw {_VALUE}",
    "a variable of the environment, in code": "DB_PASSWORD=hunter2-marker",
    "a random value without quotes, in code": f"token: {_VALUE}9Yd3",
    "a value alone on the next line, as in YAML": f"password: >-\n  {_VALUE}",
    "a name and a value side by side, as in Kubernetes and XML": f"DB_PASSWORD\n  value: {_VALUE}",
    "the content of an element": f"<password>{_VALUE}</password>",
    "the next word, as in a sentence, a table, a shell or SQL": f"The password is `{_VALUE}`.",
    "credentials in a header": f"Authorization: Token {_VALUE}9Yd3",
    "a token of one case in a header": "Authorization: Bearer " + _HEX[:40],
    "a cookie": f"Cookie: session={_VALUE}",
    "a password in an address; it may hold an @": "mysql://u:pass@jhppVkeqf2@h/x",
    "a random password in an address that holds a slash": f"postgres://u:ab/{_VALUE}@h/x",
    "a token in place of the user in an address": f"https://{_VALUE}@code.example/x.git",
    "user and password behind a flag": "curl -u sam:hunter22 https://x.example",
    "a password behind a flag": f"docker login -u sam -p {_VALUE}",
    "a random string": f'x = "{_VALUE}9Yd3"',
}

TOKEN_EXAMPLES = {
    "GitHub": "ghp_" + _LONG, "GitLab": "glpat-" + _LONG, "Gitea": "gta_" + _LONG,
    "npm": "npm_" + _LONG, "PyPI": "pypi-" + _LONG, "RubyGems": "rubygems_" + _HEX,
    "Docker Hub": "dckr_pat_" + _LONG, "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "signed address": "https://b.example/x?sv=2020&sig=" + _LONG, "Google": "GOCSPX-" + _LONG,
    "DigitalOcean": "dop_v1_" + _HEX, "Heroku": "HRKU-" + _LONG, "Fly.io": "fo1_" + _LONG,
    "Netlify": "nfp_" + _LONG, "Supabase": "sbp_" + _HEX, "PlanetScale": "pscale_tkn_" + _LONG,
    "Cloudflare": f"v1.0-{_HEX[:24]}-{_HEX}", "Databricks": "dapi" + _HEX[:32],
    "HashiCorp Vault": "hvs." + _LONG, "Doppler": "dp.pt." + _LONG,
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0", "Tailscale": "tskey-auth-" + _LONG,
    "Stripe": "sk_live_" + _LONG, "Square": "EAAA" + _LONG, "Shopify": "shpat_" + _HEX,
    "OpenAI, Anthropic": "sk-ant-api03-" + _LONG, "Hugging Face": "hf_" + _LONG,
    "Groq": "gsk_" + _LONG, "Replicate": "r8_" + _LONG, "xAI": "xai-" + _LONG,
    "Perplexity": "pplx-" + _LONG, "Slack": "xoxb-" + _LONG,
    "Discord": "https://discord.com/api/webhooks/123/" + _LONG,
    "Telegram": "123456789:AA" + _LONG, "Facebook": "EAACEdEose0cBA" + _LONG,
    "Dropbox": "sl." + _LONG, "SendGrid": f"SG.{_VALUE}.{_LONG}", "Mailgun": "key-" + _HEX[:32],
    "Figma": "figd_" + _LONG, "Notion": "secret_" + _LONG, "Airtable": f"pat{_VALUE[:14]}.{_HEX}",
    "Linear": "lin_api_" + _LONG, "Atlassian": "ATATT3x" + _LONG, "Typeform": "tfp_" + _LONG,
    "ReadMe": "rdme_" + _HEX, "Postman": "PMAK-" + _HEX, "Buildkite": "bkua_" + _HEX,
    "Sentry": "sntrys_" + _LONG, "New Relic": "NRAK-" + _LONG, "Grafana": "glc_" + _LONG,
    "Dynatrace": "dt0c01." + _LONG.upper(), "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x",
}  # fmt: skip


def _applies(rule: Rule, text: str) -> bool:
    if rule in ANYWHERE:
        matches: list[re.Match[str] | None] = list(rule.expression.finditer(text))
    else:
        names = WORDS.finditer(text.lower())
        matches = [rule.expression.match(text, name.end()) for name in names]
    return any(rule.is_secret(match["value"]) for match in matches if match)


@pytest.mark.parametrize("rule", [*AFTER_A_NAME, *ANYWHERE], ids=lambda rule: rule.why)
def test_every_rule_has_an_example_that_it_finds(rule: Rule) -> None:
    example = RULES[rule.why]
    path = "a.py" if rule.in_settings is False else "a.md"
    assert _applies(rule, example)
    assert example.split("\n")[-1] not in without_secrets(f"start\n{example}\nend", path).text


@pytest.mark.parametrize("issuer", TOKENS)
def test_a_token_is_told_by_its_form_in_a_sentence(issuer: str) -> None:
    example = TOKEN_EXAMPLES[issuer]
    assert re.search(TOKENS[issuer], example)
    assert without_secrets(f"start\nUse {example} here.\nend", "a.md").lines == (2,)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.yaml", "secret_access_key: Tq7mZ4vKp9R+w2XcB6n/Yd3Lh8Gs5Fj1Ae0Uo4Pi"),
        ("a.sh", "export SECRET_KEY=Tq7mZ4vKp9R+w2XcB6n/Yd3Lh8Gs5Fj1Ae0Uo4Pi"),
        ("a.md", "Set `SECRET_KEY=Tq7mZ4vKp9R+w2XcB6n/Yd3Lh8` first."),
        *(("a.yaml", f"password: Zk4{sign}TtZEmN2mMvYs") for sign in "+&|[]$%(<{*#;,!@^~?\\"),
        *(("a.py", f'password = "Zk4{sign}TtZEmN2mMvYs"') for sign in "+&|[]$%(<{*#;,!@^~?'"),
        ("a.json", '{"password": "a\\"b9Ad69UM6J5"}'),
        ("a.py", f'token = "{_VALUE}\\\n    tail9X2"'),
        ("a.py", f'private_key_base64 = "{_LONG * 9}"'),
        ("a.yaml", f"- name: DB_PASSWORD\n  value: {_VALUE}"),
        ("a.json", f'{{"name": "DB_PASSWORD", "value": "{_VALUE}"}}'),
        ("a.config", f'<add key="DbPassword" value="{_VALUE}"/>'),
        ("a.plist", f"<key>ApiToken</key>\n<string>{_VALUE}</string>"),
        ("a.yaml", f"token:\n  {_VALUE}"),
        ("a.yaml", f"password: !!str {_VALUE}"),
        ("a.yaml", f"db: {{user: sam, password: {_VALUE}}}"),
        ("a.md", f"**Password:** {_VALUE}"),
        ("a.md", f"`password`: `{_VALUE}`"),
        ("a.md", f"| password | `{_VALUE}` |"),
        ("a.md", f"Password: <code>{_VALUE}</code>"),
        ("a.md", f"[x](https://a.example/?api_key={_VALUE})"),
        ("a.md", "mysql://u:p%40wDC2NCNQpP@h/x"),
        ("a.md", f"gh\u200bp_{_LONG}"),
        ("Makefile", f"TOKEN := {_VALUE}"),
        ("Dockerfile", f"ENV API_SECRET {_VALUE}"),
        ("a.el", f'(setq api-token "{_VALUE}")'),
        ("a.sql", f"CREATE USER x WITH PASSWORD '{_VALUE}';"),
        ("a.json", f'{{"Db": "Server=x;User=sa;Password={_VALUE}9Y;"}}'),
        ("a.cs", "salt 0123456789abcdef0123456789abcdef"),
    ],
)
def test_a_secret_is_left_out_however_it_is_written(path: str, text: str) -> None:
    assert text.split("\n")[-1] not in without_secrets(f"start\n{text}\nend", path).text


@pytest.mark.parametrize(
    "line",
    [
        "token = tokens[1]", "secret = salt1+user", "password = get_password2(user, 3)",
        "token: List<String2>", "password = '%s1' % password", 'secret = f"{prefix}-{number1}"',
        'url = "mysql://{user}:{password1}@host"', "mysql://%s:%s@host", "mysql://$USER:$PASS@h",
        "mysql://u:%(db_password_1)s@h", "docker run -u 1000:1000 image", "mkdir -p build/Release2",
        "The token OAuth2Credentials is documented.", "password: !vault", "password: *default_1",
        "authorization [fixed](https://h.example/56c99490624703329dfa382017002011b8ca5a15)",
        "key: testEd25519PrivateKey", "Cookie: theme=dark", 'token: " https://h.example/oauth2/v1"',
        "secretName: my-tls-secret-1", "passwordFile: db-password-2",
        'rawToken("\\"hello")', "proxy -p 127.0.0.1:8080:80",
        "password=${PASSWORD_1}&token=${TOKEN_2}", "https://host.example:8080/@ada",
    ],
)  # fmt: skip
def test_code_and_prose_about_secrets_stay(line: str) -> None:
    for path in ("a.py", "a.md", "a.yaml"):
        assert without_secrets(f"start\n{line}\nend", path).lines == ()


@pytest.mark.parametrize(
    ("begin", "end"),
    [("----- BEGIN RSA {} -----", "----- END RSA {} -----"), ("", "-----END RSA {}-----"),
     ("---- BEGIN SSH2 ENCRYPTED {} ----", "---- END SSH2 ENCRYPTED {} ----"),
     ("-----BEGIN RSA {}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n", "")],
)  # fmt: skip
def test_a_private_key_without_its_proper_ends_is_left_out(begin: str, end: str) -> None:
    key = "PRIVATE" + " KEY"
    body = "\n".join([_LONG[:64]] * 3)
    text = f"Text before.\n\n{begin.format(key)}\n{body}\n{end.format(key)}\n\nText behind.\n"
    checked = without_secrets(text, "a.md").text
    assert _LONG[:64] not in checked
    assert "Text before." in checked
    assert "Text behind." in checked
