"""Which tokens can be told by their form alone, whatever stands around them?

Forms that issuers publish and that detect-secrets has no plugin for or knows at full length only:
a shortened token is one too.
"""

import re
from collections.abc import Mapping

TOKENS: Mapping[str, str] = {
    "GitHub": r"\bgh[pousr]_\w{16}|\bgithub_pat_\w{16}",
    "GitLab": r"\bgl(?:pat|ptt|rt|dt|ft|soat|cbt|agent|oas)-[\w-]{12}",
    "Gitea": r"\bgta_\w{20}",
    "npm": r"\bnpm_[A-Za-z0-9]{16}",
    "PyPI": r"\bpypi-[\w-]{30}",
    "RubyGems": r"\brubygems_[0-9a-f]{32}",
    "Docker Hub": r"\bdckr_pat_[\w-]{16}",
    "AWS": r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12}",
    "signed address": r"\bsig=(?<=[?&]sig=)[\w%+/-]{20}|\bX-(?:Amz|Goog)-Signature=\w{20}",
    "Google": r"\bAIza[\w-]{30}|\bya29\.[\w-]{20}|\bGOCSPX-[\w-]{20}",
    "DigitalOcean": r"\bdo[opr]_v1_\w{16}",
    "Heroku": r"\bHRKU-[\w-]{30}",
    "Fly.io": r"\bfo1_[\w-]{20}",
    "Netlify": r"\bnf[cp]_\w{16}",
    "Supabase": r"\bsbp_[0-9a-f]{32}",
    "PlanetScale": r"\bpscale_(?:tkn|pw|oauth)_[\w.-]{16}",
    "Cloudflare": r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{64}",
    "Databricks": r"\bdapi[0-9a-f]{32}",
    "HashiCorp Vault": r"\bhv[sb]\.[\w-]{20}",
    "Doppler": r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20}",
    "age": r"\bAGE-SECRET-KEY-1\w{10}",
    "Tailscale": r"\btskey-[\w-]{16}",
    "Stripe": r"\b(?:sk|rk)_(?:live|test)_\w{10}|\bwhsec_\w{16}",
    "Square": r"\bsq0[a-z]{3}-[\w-]{20}|\bEAAA[\w-]{56}",
    "Shopify": r"\bshp(?:at|ss|ca|pa)_\w{16}",
    "OpenAI, Anthropic": r"\bsk-[\w-]{20}",
    "Hugging Face": r"\bhf_[A-Za-z0-9]{20}",
    "Groq": r"\bgsk_\w{20}",
    "Replicate": r"\br8_\w{20}",
    "xAI": r"\bxai-\w{30}",
    "Perplexity": r"\bpplx-\w{30}",
    "Slack": r"\bxox[abeoprs]-[\w-]{10}|\bxapp-[\w-]{10}|\bhooks\.slack\.com/services/\w",
    "Discord": r"\bdiscord(?:app)?\.com/api/webhooks/\d",
    "Telegram": r"\b\d{8,10}:AA[\w-]{30}",
    "Facebook": r"\bEAACEdEose0cBA",
    "Dropbox": r"\bsl\.[\w-]{60}",
    "SendGrid": r"\bSG\.[\w-]{16,40}+\.[\w-]{16}",
    "Mailgun": r"\bkey-[0-9a-f]{32}\b",
    "Figma": r"\bfig[duo]_[\w-]{20}",
    "Notion": r"\bntn_\w{20}|\bsecret_[A-Za-z0-9]{40}",
    "Airtable": r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{32}",
    "Linear": r"\blin_api_\w{16}",
    "Atlassian": r"\bATATT3x[\w-]{16}",
    "Typeform": r"\btfp_[\w-]{30}",
    "ReadMe": r"\brdme_[0-9a-z]{40}",
    "Postman": r"\bPMAK-\w{16}",
    "Buildkite": r"\bbk[a-z]{2}_[0-9a-f]{32}",
    "Sentry": r"\bsntr[yu]s?_\w{16}",
    "New Relic": r"\bNRAK-\w{16}",
    "Grafana": r"\bglsa_\w{16}|\bglc_[\w+/=-]{30}",
    "Dynatrace": r"\bdt0[cs]\d{2}\.[A-Z0-9]{16}",
    "JWT": r"\beyJ[\w-]{8,200}+\.eyJ[\w-]{8}",
}
"""By issuer."""

TOKEN = re.compile("|".join(TOKENS.values()))
