#!/usr/bin/env python3
"""Use the real `openai` client as its users do, and print what it saw.

usage: client.py BASE_URL MODEL CASE

CASE is stream, whole, completion or error. Prints one JSON object:
{text, chunks, finish_reason, usage} or {status, type, message}.
"""

import json
import os
import sys

from openai import APIStatusError, OpenAI

base_url, model, case = sys.argv[1:]
client = OpenAI(
    base_url=base_url,
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
    max_retries=0,
    timeout=30,
)
messages = [{"role": "user", "content": "Hello, please count the words."}]
vllm = {"ignore_eos": True}  # a parameter of vLLM's own


def stream():
    text, chunks, finish, usage = "", 0, None, None
    for chunk in client.chat.completions.create(
        model=model, messages=messages, max_tokens=12, stream=True,
        stream_options={"include_usage": True}, extra_body=vllm,
    ):
        chunks += 1
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
        usage = chunk.usage or usage
    return {"text": text, "chunks": chunks, "finish_reason": finish, "usage": counts(usage)}


def whole():
    got = client.chat.completions.create(model=model, messages=messages, max_tokens=12, extra_body=vllm)
    choice = got.choices[0]
    return {"text": choice.message.content, "chunks": 1, "finish_reason": choice.finish_reason, "usage": counts(got.usage)}


def completion():
    got = client.completions.create(model=model, prompt="Hello world", max_tokens=12, extra_body=vllm)
    choice = got.choices[0]
    return {"text": choice.text, "chunks": 1, "finish_reason": choice.finish_reason, "usage": counts(got.usage)}


def error():
    try:
        client.chat.completions.create(model="no-such-model", messages=messages)
    except APIStatusError as e:
        return {"status": e.status_code, "type": e.type, "message": e.body["message"]}
    sys.exit("a model that does not exist was answered")


def counts(usage):
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


cases = {"stream": stream, "whole": whole, "completion": completion, "error": error}
if model not in [m.id for m in client.models.list()]:
    sys.exit(f"{model} is not in the list of models")
print(json.dumps(cases[case]()))
