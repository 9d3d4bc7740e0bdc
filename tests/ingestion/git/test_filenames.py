"""What a file's name alone tells."""

import pytest

from ingestion.git.filenames import file_form, is_secret_name, name_reason


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env.production", ".env.local", "prod.env", ".envrc", ".npmrc", "a/.netrc",
        "deploy/id_rsa", "id_ed25519", "keys/server.pem", "TLS.KEY", "cert.p12", "store.jks",
        "pass.kdbx", "credentials.json", "aws/credentials", ".aws/config", ".ssh/config",
        "gcp-service-account.json", "my_service_account_key.json", "client_secret_123.json",
        "secrets.yaml", "k8s/db-secrets.yml", ".git-credentials", ".pypirc", ".htpasswd",
        "terraform.tfstate", "prod.tfvars", "config/master.key", "x-firebase-adminsdk-1a.json",
        ".docker/config.json", ".kube/config", "id_rsa.old", ".ENV", "wallet.dat", ".pgpass",
        "keystore.properties", "k8s/secrets/db.yaml", "values.secret.yaml", "ansible/vault.yml",
        "filezilla.xml", "cookies.txt", "session.har", ".pgpass.txt", "x.p12.txt", ".env.bak",
    ],
)  # fmt: skip
def test_secret_files_by_name(path: str) -> None:
    assert is_secret_name(path)
    assert name_reason(path) == "secret-file"


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".env.sample", "example.env", ".env.template", "id_rsa.pub", "secrets.py",
        "docs/credentials.md", "src/credentials.go", "keyboard.json", "environment.yml",
        "monkey.md",
        "secrets/README.md", "tokens.json", "test_secret_store.py", "terraform.tfvars.example",
        "src/env.ts", "credentials.example.json", "passwords.md", ".ssh/id_ed25519.pub",
        "docs/credentials.txt", "secrets/values.example.yaml", "src/secrets/store.ts", "notes.txt",
    ],
)  # fmt: skip
def test_names_that_only_sound_secret(path: str) -> None:
    assert not is_secret_name(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("node_modules/a/index.js", "vendored"), ("web/vendor/x.php", "vendored"),
        ("third_party/z.c", "vendored"), ("Pods/A/a.m", "vendored"), ("gradlew", "vendored"),
        ("assets/jquery-3.7.1.js", "vendored"), ("vendor.go", ""), ("src/vendors.py", ""),
        ("package-lock.json", "lockfile"), ("sub/Cargo.lock", "lockfile"), ("go.sum", "lockfile"),
        ("uv.lock", "lockfile"), ("lock.go", ""), ("src/filelock.py", ""),
        ("api/a.pb.go", "generated"), ("a_pb2.py", "generated"), ("lib/m.g.dart", "generated"),
        ("app.min.js", "minified"), ("a-min.css", "minified"), ("admin.js", ""), ("min.js", ""),
        ("pylock.toml", "lockfile"), ("pylock.dev.toml", "lockfile"), (".lock", ""),
        ("vcpkg-lock.json", "lockfile"), ("dub.selections.json", "lockfile"),
        ("esy.lock/index.json", "lockfile"),
        ("external/zlib/z.c", "vendored"), ("src/external/orders.java", ""), ("configure", ""),
        ("build/config.guess", "vendored"), ("aclocal.m4", "vendored"),
        ("bundle.js.map", "generated"), ("map.js", ""), ("README.md", ""), ("gauge.py", ""),
    ],
)  # fmt: skip
def test_noise_by_name(path: str, reason: str) -> None:
    assert name_reason(path) == reason


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("README", "prose"), ("LICENSE-MIT", "prose"), ("a/README.md", "markdown"),
        ("x.MDX", "markdown"), ("guide.rst", "prose"), ("notes.txt", "prose"),
        ("requirements.txt", "code"), ("requirements-dev.txt", "code"), ("CMakeLists.txt", "code"),
        ("a.ipynb", "notebook"), ("Makefile", "code"), ("security.py", "code"), (".md", "markdown"),
    ],
)  # fmt: skip
def test_form(path: str, form: str) -> None:
    assert file_form(path) == form
