"""What does a file's name alone tell: a secret, vendored, locked, generated, binary, prose?

The lists follow github-linguist (vendor.yml, generated.rb) where a name there is not ambiguous.
"""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cache
from typing import Literal

FileForm = Literal["markdown", "prose", "notebook", "code"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_NAMES = _words(
    """.env .envrc .npmrc .netrc _netrc .pypirc .htpasswd .git-credentials .pgpass .my.cnf
    .mylogin.cnf .dockercfg .dockerconfigjson .s3cfg .boto .vault-token .vault-pass .terraformrc
    .bash_history .zsh_history .python_history .psql_history .mysql_history id_rsa
    id_dsa id_ecdsa id_ed25519
    credentials kubeconfig master.key token.json auth.json htpasswd .passwd shadow
    local.settings.json application_default_credentials.json google-services.json
    googleservice-info.plist wallet.dat keystore.properties vault.yml vault.yaml filezilla.xml
    sitemanager.xml recentservers.xml cookies.txt"""
)
_SECRET_SUFFIXES = _words(
    """.pem .key .p8 .p12 .pfx .pkcs12 .jks .keystore .bks .ppk .kdb .kdbx .kwallet .keychain .gpg
    .ovpn .tfstate .tfvars .agekey .mobileprovision .env .snk .asc.key .har"""
)
_SECRET_GLOBS = (
    ".env.*", ".env-*", ".env_*", "*.tfstate.*", "*.tfvars.json", "id_rsa*", "id_ed25519*",
    "id_ecdsa*", "id_dsa*", "*credentials*.json", "*credentials*.y*ml", "*credentials*.toml",
    "*credentials*.ini", "*credentials*.cfg", "*credentials*.csv", "*credentials*.xml",
    "*credentials*.properties", "client_secret*.json", "client-secret*.json",
    "*service-account*.json", "*service_account*.json", "*serviceaccount*.json",
    "*firebase-adminsdk*.json", "secret.y*ml", "secrets.y*ml", "secret*.json", "secrets.toml",
    "secrets.ini", "secrets.cfg", "secrets.env", "secrets.properties", "secrets.txt",
    "*.secret", "*.secrets", "*.secret.y*ml", "*.secrets.y*ml", "*.secret.json",
    "*.secrets.json", "*-secrets.y*ml", "*_secrets.y*ml", "passwords.*", "*vault*password*",
    "*.private", "*_private_key*", "*-private-key*", "*private_key.*", "*private-key.*",
)  # fmt: skip
_SECRET_PLACES = (
    "*/.ssh/*", "*/.aws/*", "*/.gnupg/*", "*/.azure/*", "*/.config/gcloud/*", "*/.kube/config",
    "*/.docker/config.json", "*/.config/gh/hosts.yml", "*/.password-store/*",
    "*/.cargo/credentials.toml",
)  # fmt: skip
# Behind the name of a file these hold the same as it.
_COPY_SUFFIXES = (".txt", ".bak", ".backup", ".old", ".orig", ".save", "~")
_SECRETS_FOLDER, _SETTING_SUFFIXES = "secrets", (".yaml", ".yml", ".json", ".toml", ".ini", ".txt")
_EXAMPLE_WORDS = _words("example examples sample samples template tpl dist defaults dummy schema")
# A public key, documentation and a program that bears such a name are no secret by name; what
# they hold is searched for secrets like any other text.
_NEVER_SECRET_SUFFIXES = _words(
    """.pub .md .markdown .mdx .rst .adoc .py .go .rs .js .mjs .cjs .ts .tsx .jsx .java .kt .rb .php
    .c .h .cc .cpp .hpp .cs .swift .scala .sh .html .css .ex .exs .erl .hs .ml .lua .pl .svg"""
)

_VENDORED_FOLDERS = _words(
    """node_modules bower_components jspm_packages vendor vendors vendored _vendor third_party
    third-party thirdparty 3rdparty 3rd-party pods carthage .yarn .pnp site-packages dist-packages
    .venv venv virtualenv __pypackages__ dist .bundle .gradle .terraform .tox .nox .eggs deps
    __pycache__ godeps externals .cargo-vendor elm-stuff extern .dart_tool"""
)
_VENDORED_NAMES = (
    "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "jquery.js", "jquery-[0-9]*.js",
    "bootstrap.js", "bootstrap.css", "d3.js", "modernizr*.js", ".pnp.cjs", ".pnp.loader.mjs",
    "config.guess", "config.sub", "aclocal.m4", "libtool.m4", "lt*.m4",
)  # fmt: skip
# Linguist takes it for vendored at any depth, where it is as often a package of one's own.
_VENDORED_FIRST_FOLDER = "external"
_LOCKFILES = _words(
    """package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb conda-lock.yml go.sum
    go.work.sum package.resolved packages.lock.json gradle.lockfile cartfile.resolved
    .terraform.lock.hcl cabal.project.freeze module.bazel.lock pnpm-lock.yml shrinkwrap.yaml
    project.assets.json paket.lock buildscript-gradle.lockfile pylock.toml dub.selections.json
    vcpkg-lock.json brewfile.lock.json"""
)
_LOCKFILE_GLOBS = ("?*.lock", "pylock.*.toml")
_LOCKFILE_FOLDER = "esy.lock"
_GENERATED_GLOBS = (
    "*.pb.go", "*.pb.gw.go", "*_grpc.pb.go", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.cc",
    "*.pb.h", "*.pb.swift", "*_pb.js", "*_pb.ts", "*_pb.d.ts", "*.pb.rb", "*_pb.rb", "*.pbobjc.*",
    "*.g.dart", "*.freezed.dart", "*.mocks.dart", "*.designer.cs", "*.g.cs", "*.g.i.cs",
    "*.generated.*", "*_generated.*", "*.gen.*", "*_gen.go", "zz_generated*", "*.snap",
    "project.pbxproj", "*.xcworkspacedata", "*.tab.c", "*.tab.h", "*.lex.c", "lex.yy.c",
    "*.js.map", "*.css.map", "*.mjs.map", "*.d.ts.map", "*.nib", "*.xib",
)  # fmt: skip
_GENERATED_FOLDERS = _words(
    "__generated__ __snapshots__ .next .nuxt .svelte-kit .ipynb_checkpoints"
)
_MINIFIED = re.compile(r"[.-]min\.(?:js|mjs|cjs|css|html|svg|json)$")
_BINARY_SUFFIXES = _words(
    """.png .jpg .jpeg .gif .webp .avif .bmp .ico .icns .tif .tiff .psd .xcf .heic .mp3 .mp4 .m4a
    .wav .flac .ogg .webm .mov .avi .mkv .pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .zip
    .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .whl .egg .gem .nupkg .deb .rpm .apk .ipa .dmg
    .iso .exe .dll .so .dylib .a .lib .o .obj .class .pyc .pyo .wasm .woff .woff2 .ttf .otf .eot
    .sqlite .sqlite3 .db .npy .npz .parquet .feather .arrow .h5 .hdf5 .pkl .pickle .pt .pth .onnx
    .safetensors .gguf .bin .dat .blend .fbx .glb .stl .mo .swf .lockb"""
)
_MARKDOWN = _words(".md .markdown .mdown .mkd .mkdn .mdx .qmd .rmd")
_PROSE = _words(
    ".rst .txt .text .adoc .asciidoc .asc .org .textile .rdoc .pod .wiki .mediawiki .creole"
)
_PROSE_NAMES = _words(
    """readme license licence copying notice authors contributors changelog changes news history
    contributing code_of_conduct security support maintainers install todo thanks copyright
    unlicense patents credits acknowledgements acknowledgments faq"""
)
_NOT_PROSE = _words("requirements.txt constraints.txt cmakelists.txt robots.txt")


def name_reason(path: str) -> str:
    """Why a file of this name is left out without a look inside; "" where it is not."""
    if is_secret_name(path):
        return "secret-file"
    folders, name = _split(path)
    if any(folder in _VENDORED_FOLDERS for folder in folders) or _any_match(name, _VENDORED_NAMES):
        return "vendored"
    if folders[:1] == [_VENDORED_FIRST_FOLDER]:
        return "vendored"
    if name in _LOCKFILES or _LOCKFILE_FOLDER in folders or _any_match(name, _LOCKFILE_GLOBS):
        return "lockfile"
    if any(folder in _GENERATED_FOLDERS for folder in folders) or _any_match(
        name, _GENERATED_GLOBS
    ):
        return "generated"
    return "minified" if _MINIFIED.search(name) else ""


def is_secret_name(path: str) -> bool:
    """Whether the file's name or place says that it holds credentials; then it is never read."""
    folders, name = _split(path)
    if _any_match("/".join(("", *folders, name)), _SECRET_PLACES):
        return not name.endswith(".pub")
    words = set(re.split(r"[^a-z0-9]+", name))
    if words & _EXAMPLE_WORDS:
        return False
    if name in _SECRET_NAMES or _any_suffix(name, _SECRET_SUFFIXES):
        return True
    # `credentials.txt` can be a chapter; `.pgpass.txt` and `a.p12.txt` are none.
    held = [name.removesuffix(suffix) for suffix in _COPY_SUFFIXES if name.endswith(suffix)]
    if any("." in one and is_secret_name(one) for one in held):
        return True
    if _SECRETS_FOLDER in folders and name.endswith(_SETTING_SUFFIXES):
        return True
    return not _any_suffix(name, _NEVER_SECRET_SUFFIXES) and _any_match(name, _SECRET_GLOBS)


def is_binary_name(path: str) -> bool:
    """Whether files of this name are never text."""
    return _any_suffix(path.lower(), _BINARY_SUFFIXES)


def size_limit_bytes(path: str) -> int:
    """Largest content that is read: 1 MiB, 200 KiB for SVG and JSON."""
    return 200 << 10 if path.lower().endswith((".svg", ".json")) else 1 << 20


def file_form(path: str) -> FileForm:
    """How the file is read."""
    _, name = _split(path)
    _, dot, suffix = name.rpartition(".")
    if dot and f".{suffix}" in _MARKDOWN:
        return "markdown"
    if name.endswith(".ipynb"):
        return "notebook"
    if name in _NOT_PROSE or name.startswith("requirements"):
        return "code"
    if f".{suffix}" in _PROSE:
        return "prose"
    if not dot and name.split("-", 1)[0] in _PROSE_NAMES:
        return "prose"
    return "code"


def _split(path: str) -> tuple[list[str], str]:
    *folders, name = path.lower().split("/")
    return folders, name


def _any_suffix(name: str, suffixes: frozenset[str]) -> bool:
    return name.endswith(_ordered(suffixes))


def _any_match(name: str, patterns: tuple[str, ...]) -> bool:
    return _joined(patterns).match(name) is not None


@cache
def _ordered(suffixes: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(suffixes))


@cache
def _joined(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))
