"""Talks to support-chat and executes its tool: python3 examples/python-client/client.py "Where is order 1042?"

The loop of @muster/client in Python's standard library: start a turn, answer its tool calls, continue after a cut.
"""
import json, os, random, sys, time, uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SESSIONS = os.environ.get("MUSTER_URL", "http://127.0.0.1:8080") + "/api/agent-sessions"
KEY = os.environ["MUSTER_API_KEY"]
PATIENCE_SECONDS = 60
tools = {"get-order": lambda orderNumber: {"orderNumber": orderNumber, "status": "shipped by Pigeon Post"}}


def send(path, body=None):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    return urlopen(Request(SESSIONS + path, body and json.dumps(body).encode(), headers), timeout=60)


def numbered(response, after):
    """The events of a response with their numbers, until [DONE]. A response without it was cut."""
    number = None
    for line in response:
        if line == b"data: [DONE]\n":
            return
        if line.startswith(b"id: "):
            number = int(line[4:])
        elif line.startswith(b"data: "):
            event = json.loads(line[6:])
            if "lastSequence" in event:
                break
            if "interrupted" not in event:
                after, number = number or after + 1, None
                yield after, event
    raise ConnectionError("the response has ended early")


def follow(path, body, turn=None):
    """Each event once, with its turn. The request is repeated until the turn has begun, or continues if it is given."""
    following, after, failures, since = None, 0, 0, time.monotonic()
    while True:
        try:
            response = send(f"{following}/events?after={after}") if following else send(path, body)
            for after, event in numbered(response, after):
                failures, since = 0, time.monotonic()
                if event["type"] == "start":
                    following = turn or f"/{event['sessionId']}/executions/{event['executionId']}"
                yield following, event
            return
        except (OSError, HTTPException) as error:
            status = error.code if isinstance(error, HTTPError) else 503
            if turn and failures and status in (400, 429):
                following = turn  # The results have arrived: the calls are open no longer.
            elif (status < 500 and status != 429) or time.monotonic() - since > PATIENCE_SECONDS:
                raise
            time.sleep(min(0.25 * 2**failures, 10) * random.uniform(0.5, 1))
            failures += 1


def reply(message):
    trigger = {"triggerName": "user-message", "input": {"USER_MESSAGE": message}, "onDisconnect": "continue"}
    request = ("/start", {"agentSlug": "support-chat", "trigger": trigger, "idempotencyKey": str(uuid.uuid4())})
    while request:
        calls = []
        for turn, event in follow(*request):
            if event["type"] == "text-delta":
                print(event["delta"], end="", flush=True)
            elif event["type"] == "tool-request":
                calls = event["toolCalls"]
            elif event["type"] == "error":
                sys.exit(f"\n{event['message']}")
        _, session, _, execution = turn.split("/")
        results = [{"toolCallId": c["toolCallId"], "result": tools[c["toolName"]](**c["args"])} for c in calls]
        body = {"executionId": execution, "toolResults": results, "onDisconnect": "continue"}
        request = calls and (f"/{session}/trigger", body, turn)
    print()


reply(sys.argv[1])
