"""Secrets in texts: made up, never of an account that exists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.git.content import NotText
from ingestion.git.secrets import PLACEHOLDER, masked_paths, without_secrets

_KEY = "PRIVATE" + " KEY"
_MIXED = "aB3dE5gH7jK9mN1pQ3sT5vX7"


def _left_out(line: str, path: str) -> bool:
    checked = without_secrets(f"first line\n{line}\nlast line\n", path)
    if checked.lines:
        assert checked.text.split("\n")[1].strip() == PLACEHOLDER
        assert checked.reasons == ("secret: line 2 left out",)
    return bool(checked.lines)


@pytest.mark.parametrize(
    "line",
    [
        'key = "AKIAIOSFODNN7EXAMPLE"',
        '    token = "ghp_marker52abcdefghijklmnopqrstuvwxyz"',
        f"github_pat_{_MIXED}",
        f"glpat-{_MIXED}",
        f'npm = "npm_{_MIXED}{_MIXED[:12]}"',
        f'stripe.key = "sk_live_{_MIXED}"',
        f"sk-ant-api03-{_MIXED}",
        f'slack("xoxb-123456789012-{_MIXED}")',
        f'maps = "AIza{_MIXED}{_MIXED[:11]}"',
        'jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc123"',
        "https://hooks.slack.com/services/T0000/B0000/abcdefgh1234",
        'url = "postgres://ada:hunter2-marker@db.example/x"',
        "redis://:p4ssw0rd-marker@cache:6379",
        'curl -H "Authorization: Bearer ' + _MIXED + '"',
        'password = "hunter2-marker"',
        "DB_PASSWORD = 'Tr0ub4dor&3'",
        '"api_key": "12345678abcd",',
        "const apiKey = `abc123def456`;",
        'client.setPassword("hunter22")',
        '$db["password"] => "hunter22"',
        'private String dbPassword = "s3cr3t-marker";',
        'passwort: "geheim-2024"',
        'signing_key = "0123456789abcdef0123456789abcdef"',
        f'blob = "{_MIXED}{_MIXED}"',
        "DB_PASSWORD=hunter2-marker-50",
        f"aws_secret_access_key = '{_MIXED}/{_MIXED[:15]}'",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + "Ab1/" * 21 + "Zz==",
    ],
)
def test_a_line_with_a_secret_is_left_out_of_code_and_prose(line: str) -> None:
    assert _left_out(line, "src/a.py")
    assert _left_out(line, "README.md")


@pytest.mark.parametrize(
    "line",
    ["password: hunter2-marker", "secret_key: s3cr3t-marker",
     "//host/:_authToken=npm_marker53",
     "  _auth: YWRhOmh1bnRlcjI=", "MYSQL_PWD = m4rker99"],
)  # fmt: skip
def test_settings_and_prose_need_no_quotes(line: str) -> None:
    for path in ("config.yml", ".env.example", "docs/setup.md", "app.ini", "deploy.sh"):
        assert _left_out(line, path)


@pytest.mark.parametrize(
    "line",
    [
        'password = os.environ["DB_PASSWORD_2"]', 'password = input("Password 1: ")',
        "def login(user: str, password: str = '') -> None:", "token = tokens[1]",
        "max_tokens: 4096",
        'token_url = "https://host.example/oauth2/token"', "DB_PASSWORD=change-me",
        "auth_token: ${{ secrets.DEPLOY_1 }}", "API_KEY=${API_KEY_2}", 'secret = "<your-key-1>"',
        'sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
        "commit 56c99490624703329dfa382017002011b8ca5a15", "author: ada2@example.org",
        'tokenizer = "bert-base-v2"', "password.encode('latin1')", "The token count is 128.",
        'class = "OAuth2ClientCredentialsAuthMethodTypedDict"', "https://host.example:8080/@ada",
        "See RFC 6749 for the client secret.", 'password_field = "password_confirmation"',
        'import "github.com/ada/Engine2/internal/Token4"', "secret: false", "token: null",
        'ALPHABET = "abcdefghijklmnopqrstuvwxyz"', "git clone git@github.com:ada/engine.git",
        "uuid = '123e4567-e89b-12d3-a456-426614174000'", "postgres://user:<password>@host/db",
    ],
)  # fmt: skip
def test_ordinary_lines_stay(line: str) -> None:
    for path in ("src/a.py", "README.md", "config.yml"):
        assert not _left_out(line, path)


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
@pytest.mark.parametrize("prefix", ["", "    ", "# ", "  | "])
def test_a_private_key_is_left_out_as_a_block(kind: str, prefix: str) -> None:
    block = [f"-----BEGIN {kind}{_KEY}-----", "Proc-Type: 4", "", "MIIEmarker51" + "a" * 52,
             "c2hvcnQ=", f"-----END {kind}{_KEY}-----"]  # fmt: skip
    text = "\n".join(["before", *(prefix + line for line in block), "after"])
    checked = without_secrets(text, "docs/tls.md")
    assert checked.lines == (2, 3, 4, 5, 6, 7)
    assert checked.text.split("\n")[0] == "before"
    assert checked.text.split("\n")[-1] == "after"
    assert "MIIE" not in checked.text


def test_a_key_without_an_end_takes_the_lines_of_its_kind() -> None:
    text = f"x\n-----BEGIN {_KEY}-----\n{'Ab1+' * 16}\n{'Cd2/' * 16}\n\nText goes on.\n"
    assert without_secrets(text, "a.md").lines == (2, 3, 4)


def test_a_key_in_one_line_of_json_is_left_out() -> None:
    line = f'  "private_key": "-----BEGIN {_KEY}-----\\nMIIEmarker\\n-----END {_KEY}-----\\n",'
    checked = without_secrets('{\n  "type": "account",\n' + line + "\n}\n", "a.json")
    assert checked.lines == (3,)


def test_a_value_on_the_line_below_its_name_is_left_out() -> None:
    text = 'token = (\n    "a1b2c3d4e5"\n)\n'
    assert 2 in without_secrets(text, "a.py").lines


def test_a_file_of_nothing_but_a_secret_is_a_secret_file() -> None:
    with pytest.raises(NotText, match="secret-file"):
        without_secrets(f"-----BEGIN {_KEY}-----\n{'Ab1+' * 16}\n-----END {_KEY}-----\n\n", "a.txt")


def test_many_lines_are_counted_in_the_report() -> None:
    text = "\n".join(["start", *(f'password = "hunter{number}"' for number in range(30))])
    (reason,) = without_secrets(text, "a.py").reasons
    assert reason.endswith("20, 21 and 10 more left out")
    assert "hunter" not in reason


def test_a_secret_deep_in_a_very_long_line_is_found() -> None:
    for offset in (1790, 1999, 2005, 50_000):
        line = "word " * (offset // 5) + f" ghp_{_MIXED}{_MIXED[:12]} " + "word " * 1000
        checked = without_secrets(f"first\n{line}\nlast", "notes.txt")
        assert checked.lines == (2,)


def test_only_the_part_of_a_path_that_holds_a_token_is_masked() -> None:
    token = f"ghp_{_MIXED}{_MIXED[:12]}"
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc123"
    paths = ("docs/a.md", f"docs/{token}.md", f"{jwt}/b.py", "keys/secret_keys.py")
    assert masked_paths(paths) == {
        f"docs/{token}.md": f"docs/{PLACEHOLDER}",
        f"{jwt}/b.py": f"{PLACEHOLDER}/b.py",
    }


def test_a_megabyte_on_one_line_is_searched_in_linear_time() -> None:
    text = "first\n" + "://a:/token=password:" * 45_000
    assert without_secrets(text, "notes.txt").text.startswith("first\n")


@given(st.text(alphabet="abc \n\t.", max_size=200))
def test_text_without_secrets_is_returned_as_it_is(text: str) -> None:
    checked = without_secrets(f"x{text}", "a.md")
    assert checked.text == f"x{text}"
    assert checked.lines == ()
