"""Runs the scenario with openapi-python-client: boot, consent, a streamed answer, publishing a translation, an export page, errors."""

import json
import time
from typing import Any, TypeVar

import steps
from guidepost import AuthenticatedClient, Client
from guidepost import models as m
from guidepost.api.articles import create_article, publish_article, read_article
from guidepost.api.boot import boot_guide
from guidepost.api.chat import send_message
from guidepost.api.consent import record_consent
from guidepost.api.export import export_conversations
from guidepost.api.session import sign_in
from guidepost.api.translations import (
    create_translation,
    publish_translation,
    review_translation,
    submit_translation,
)
from guidepost.types import Response

T = TypeVar("T")


def create_client(token: str, origin: str = steps.ORIGIN, header: str = "authorization") -> AuthenticatedClient:
    """The generated client takes a single header for the credential."""
    prefix = "Bearer" if header == "authorization" else ""
    headers = {"origin": origin}
    return AuthenticatedClient(
        base_url=steps.URL, headers=headers, token=token, prefix=prefix, auth_header_name=header
    )


def unwrap(wanted: type[T], answer: object) -> T:
    """Returns the success body; response types are a union of success and error."""
    assert isinstance(answer, wanted), answer
    return answer


visitor: AuthenticatedClient
member: AuthenticatedClient
booted: m.BootReply


def boot() -> str:
    global visitor, booted
    body = m.BootRequest(app_id=steps.APP_ID, origin=steps.ORIGIN, path="/")
    client = Client(base_url=steps.URL, headers={"origin": steps.ORIGIN})
    booted = unwrap(m.BootReply, boot_guide.sync(client=client, body=body))
    assert booted.jwt
    visitor = create_client(booted.jwt)
    return "yes"


def consent() -> str:
    body = m.ConsentRequest(
        visitor_id=booted.visitor_id,
        url=f"{steps.ORIGIN}/",
        copy_version=booted.config.consent.copy.version,
        at=int(time.time() * 1000),
        decision=m.VisitorDecisionInput.ACCEPTED,
    )
    reply = unwrap(m.ConsentReply, record_consent.sync(client=visitor, body=body))
    assert reply.ok and reply.recorded
    return "yes"


EVENTS: dict[str, type[Any]] = {
    "text_delta": m.TextDeltaEvent,
    "citation": m.CitationEvent,
    "message_end": m.MessageEndEvent,
}


def stream() -> str:
    body = m.ChatRequest(
        message="How do I reset my password?",
        dom_digest="main > h1 Account",
        conversation_id=steps.CONVERSATION,
        turn_idx=0,
        url=f"{steps.ORIGIN}/account",
    )
    text, length, citations = "", -1, 0
    times: list[float] = []
    # The generated functions read the whole answer as one event, so stream the request that they build.
    with visitor.get_httpx_client().stream(**send_message._get_kwargs(body=body)) as answer:
        assert answer.status_code == 200
        for moment, data in steps.events_in(answer.iter_lines()):
            times.append(moment)
            payload = json.loads(data)
            model = EVENTS.get(payload["type"])
            event: object = model.from_dict(payload) if model else None
            if isinstance(event, m.TextDeltaEvent):
                text += event.delta
            if isinstance(event, m.CitationEvent):
                assert event.quote in text
                citations += 1
            if isinstance(event, m.MessageEndEvent):
                length = event.text_length
    assert citations > 0 and length == len(text)
    return steps.describe_timing(times)


def translation() -> str:
    global member
    credentials = m.SignInRequest(email=steps.EMAIL, password=steps.PASSWORD)
    client = Client(base_url=steps.URL, headers={"origin": steps.URL})
    signed_in = sign_in.sync_detailed(client=client, body=credentials)
    unwrap(m.SessionState, signed_in.parsed)
    member = create_client(signed_in.headers["set-cookie"].split(";")[0], steps.URL, "cookie")
    new = m.NewArticle(title="Gift wrapping", answer="Choose gift wrapping at the checkout. It costs two euros.")
    article = unwrap(m.Article, create_article.sync(steps.TENANT, client=member, body=new))
    base = m.ArticleBase(base_revision=article.revision)
    published = unwrap(m.Article, publish_article.sync(steps.TENANT, article.id, client=member, body=base))
    assert published.status.startswith("published")
    german = m.NewTranslation(
        locale="de", title="Geschenkverpackung", answer="Wählen Sie die Geschenkverpackung an der Kasse."
    )
    draft = unwrap(m.Translation, create_translation.sync(steps.TENANT, article.id, client=member, body=german))
    at = (steps.TENANT, article.id, draft.id)
    seen = m.TranslationBase(base_revision=draft.revision)
    submitted = unwrap(m.Translation, submit_translation.sync(*at, client=member, body=seen))
    assert submitted.status.startswith("in_review")
    verdict = m.TranslationVerdict(base_revision=submitted.revision, decision=m.ReviewDecisionInput.APPROVE)
    approved = unwrap(m.Translation, review_translation.sync(*at, client=member, body=verdict))
    assert approved.status.startswith("approved")
    seen = m.TranslationBase(base_revision=approved.revision)
    live = unwrap(m.Translation, publish_translation.sync(*at, client=member, body=seen))
    assert unwrap(m.TranslationLive, live.live).revision == live.revision
    return "yes"


def export() -> str:
    exporter = create_client(steps.API_KEY, header="x-api-key")
    page = unwrap(m.ExportedConversationPage, export_conversations.sync(client=exporter, limit=10))
    assert not page.has_more and any(row.id == steps.CONVERSATION for row in page.data)
    return "yes"


def expect_error(status: int, code: str, response: Response[Any]) -> None:
    assert response.status_code == status, response
    assert unwrap(m.ErrorBody, response.parsed).error.startswith(code), response


def errors() -> str:
    missing = read_article.sync_detailed(steps.TENANT, steps.UNKNOWN_ARTICLE, client=member)
    expect_error(404, "article/not_found", missing)
    rejected = export_conversations.sync_detailed(client=create_client(steps.UNKNOWN_KEY, header="x-api-key"))
    expect_error(401, "export/unauthorized", rejected)
    return "typed"


for act in (boot, consent, stream, translation, export, errors):
    steps.step(act.__name__, act)
