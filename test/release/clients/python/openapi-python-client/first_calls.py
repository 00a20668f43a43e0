"""Boots, asks, and reads the stream and the export with the functions that openapi-python-client generates."""

import os
import time

from guidepost import AuthenticatedClient, Client
from guidepost import models as m
from guidepost.api.boot import boot_guide
from guidepost.api.chat import send_message
from guidepost.api.consent import record_consent
from guidepost.api.export import export_conversations

BASE_URL = os.environ["GUIDEPOST_URL"]
ORIGIN = os.environ["GUIDEPOST_ORIGIN"]
PAGE = f"{ORIGIN}/account"
HEADERS = {"origin": ORIGIN}

anyone = Client(base_url=BASE_URL, headers=HEADERS)
start = m.BootRequest(app_id=os.environ["GUIDEPOST_APP_ID"], origin=ORIGIN, path="/")
booted = boot_guide.sync(client=anyone, body=start)
assert isinstance(booted, m.BootReply) and booted.jwt, booted

visitor = AuthenticatedClient(base_url=BASE_URL, headers=HEADERS, token=booted.jwt)
decision = m.ConsentRequest(
    visitor_id=booted.visitor_id,
    url=PAGE,
    copy_version=booted.config.consent.copy.version,
    at=time.time() * 1000,
    decision=m.VisitorDecisionInput.ACCEPTED,
)
assert isinstance(record_consent.sync(client=visitor, body=decision), m.ConsentReply)

question = m.ChatRequest(
    message="How do I reset my password?",
    dom_digest="main > h1 Account",
    conversation_id="conv-python",
    turn_idx=0,
    url=PAGE,
)
answer = send_message.sync(client=visitor, body=question)
assert isinstance(answer, str) and "event: message_end" in answer, answer

program = AuthenticatedClient(
    base_url=BASE_URL, token=os.environ["GUIDEPOST_API_KEY"], prefix="", auth_header_name="x-api-key"
)
page = export_conversations.sync(client=program, limit=10)
assert isinstance(page, m.ExportedConversationPage), page
assert any(row.id == "conv-python" for row in page.data), page

print("the whole stream, a `str`")
