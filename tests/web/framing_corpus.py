"""Requests as bytes: malformed ones with the status of their refusal, sound ones with how they are read."""

from __future__ import annotations

from insight_core.web.request_head import LARGEST_BODY

# follows a malformed request, and is the body of some: must never be answered
NEXT = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def get(*lines: bytes) -> bytes:
    """A GET of HTTP/1.1 with these header lines."""
    return b"\r\n".join([b"GET / HTTP/1.1", *lines, b"", b""])


def post(*lines: bytes) -> bytes:
    """A POST of HTTP/1.1 with a Host and these header lines."""
    return b"\r\n".join([b"POST / HTTP/1.1", b"Host: x", *lines, b"", b""])


SMUGGLED = b"%d" % len(NEXT)
MALFORMED: dict[str, tuple[int, bytes]] = {
    "content length twice, last is zero": (400, post(b"Content-Length: " + SMUGGLED, b"Content-Length: 0")),
    "content length twice, first is zero": (400, post(b"Content-Length: 0", b"Content-Length: " + SMUGGLED)),
    "content length twice, the same": (400, post(b"Content-Length: 0", b"content-length: 0")),
    "content length as a list": (400, post(b"Content-Length: 0, 0")),
    "content length negative": (400, post(b"Content-Length: -1")),
    "content length with a plus": (400, post(b"Content-Length: +5")),
    "content length in hexadecimal": (400, post(b"Content-Length: 0x5")),
    "content length with an underscore": (400, post(b"Content-Length: 1_0")),
    "content length empty": (400, post(b"Content-Length:")),
    "content length with digits that are not ASCII": (400, post(b"Content-Length: \xb2")),
    "content length and chunks": (400, post(b"Content-Length: 5", b"Transfer-Encoding: chunked")),
    "chunks and content length": (400, post(b"Transfer-Encoding: chunked", b"Content-Length: 5")),
    "space before the colon of a length": (400, post(b"Content-Length : " + SMUGGLED)),
    "space before the colon of chunks": (400, post(b"Transfer-Encoding : chunked")),
    "tab before the colon": (400, post(b"Content-Length\t: " + SMUGGLED)),
    "space in a name": (400, post(b"Content Length: 5")),
    "line without a colon": (400, post(b"nonsense")),
    "line without a name": (400, post(b": value")),
    "folded line": (400, post(b"X-Long: one", b" Content-Length: 5")),
    "folded line with a tab": (400, post(b"X-Long: one", b"\ttwo")),
    "fold before the first field": (400, b"GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
    "carriage return in a value": (400, post(b"X: a\rContent-Length: 5")),
    "carriage return at the end": (400, post(b"X: a\r")),
    "NUL in a value": (400, post(b"X: a\0b")),
    "control character in a value": (400, post(b"X: a\x1bb")),
    "NUL in a name": (400, post(b"X\0: a")),
    "name that is not ASCII": (400, post(b"X\xe9: a")),
    "bare line feeds": (400, b"GET / HTTP/1.1\nHost: x\n\n"),
    "one bare line feed": (400, b"GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n"),
    "gzip": (501, post(b"Transfer-Encoding: gzip")),
    "gzip and chunked": (501, post(b"Transfer-Encoding: gzip, chunked")),
    "identity": (501, post(b"Transfer-Encoding: identity")),
    "almost chunked": (501, post(b"Transfer-Encoding: xchunked")),
    "quoted chunked": (501, post(b'Transfer-Encoding: "chunked"')),
    "chunked with a vertical tab": (400, post(b"Transfer-Encoding: \x0bchunked")),
    "chunked twice": (400, post(b"Transfer-Encoding: chunked, chunked")),
    "chunked in two fields": (400, post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")),
    "chunked after an empty member": (400, post(b"Transfer-Encoding: , chunked")),
    "empty coding": (400, post(b"Transfer-Encoding:")),
    "chunks of HTTP/1.0": (400, b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "chunk size not a number": (400, CHUNKED + b"x\r\n"),
    "chunk size negative": (400, CHUNKED + b"-1\r\n"),
    "chunk size with a prefix": (400, CHUNKED + b"0x1\r\na\r\n"),
    "chunk size with a space before": (400, CHUNKED + b" 1\r\na\r\n"),
    "chunk size empty": (400, CHUNKED + b"\r\n"),
    "chunk size too long": (400, CHUNKED + b"000000001\r\na\r\n"),
    "chunk size with a bare line feed": (400, CHUNKED + b"1\na\r\n0\r\n\r\n"),
    "chunk extension without an end": (400, CHUNKED + b"1;" + b"a" * 1000),
    "chunk longer than its size": (400, CHUNKED + b"1\r\nab\r\n0\r\n\r\n"),
    "chunk without its line end": (400, CHUNKED + b"1\r\na0\r\n\r\n"),
    "trailer without a colon": (400, CHUNKED + b"0\r\nnonsense\r\n\r\n"),
    "body that is too large": (413, post(b"Content-Length: %d" % (LARGEST_BODY + 1))),
    "body of many digits": (413, post(b"Content-Length: " + b"9" * 5000)),
    "chunk that is too large": (413, CHUNKED + b"%x\r\n" % (LARGEST_BODY + 1)),
    "no host": (400, get()),
    "no host, absolute target": (400, b"GET http://x/ HTTP/1.1\r\n\r\n"),
    "two hosts": (400, get(b"Host: x", b"Host: x")),
    "host with a path": (400, get(b"Host: x/y")),
    "host with a user": (400, get(b"Host: a@x")),
    "host with a space": (400, get(b"Host: x y")),
    "two hosts in one field": (400, get(b"Host: x, y")),
    "host without brackets": (400, get(b"Host: ::1")),
    "absolute target without a host": (400, b"GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n"),
    "absolute target with a user": (400, b"GET http://a@x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    "absolute target of another scheme": (400, b"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    "relative target": (400, b"GET data/runs HTTP/1.1\r\nHost: x\r\n\r\n"),
    "asterisk for GET": (400, b"GET * HTTP/1.1\r\nHost: x\r\n\r\n"),
    "target with a fragment": (400, b"GET /#a HTTP/1.1\r\nHost: x\r\n\r\n"),
    "tunnel": (501, b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    "HTTP/0.9": (400, b"GET /\r\n\r\n"),
    "HTTP/2": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "unknown protocol": (400, b"GET / NONSENSE/9\r\n\r\n"),
    "version of two digits": (400, b"GET / HTTP/1.10\r\nHost: x\r\n\r\n"),
    "two spaces": (400, b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "tab in the request line": (400, b"GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    "method with a colon": (400, b"G:T / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "two empty lines first": (400, b"\r\n\r\n" + get(b"Host: x")),
    "TLS": (400, b"\x16\x03\x01\x02\x00\x01\r\n"),
    "unknown expectation": (417, get(b"Host: x", b"Expect: miracles")),
    "long target": (414, b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n"),
    "long target without an end": (414, b"GET /" + b"a" * 200_000),
    "long field": (431, get(b"Host: x", b"X: " + b"a" * 70_000)),
    "long fields": (431, get(b"Host: x", *[b"X: " + b"a" * 10_000] * 8)),
    "many fields": (431, get(b"Host: x", *[b"X: a"] * 101)),
    "long trailer": (431, CHUNKED + b"0\r\nX: " + b"a" * 70_000 + b"\r\n\r\n"),
}

# follows a sound request
LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
SOUND: dict[str, tuple[bytes, tuple[str, str, bytes]]] = {
    "length": (post(b"Content-Length: 3") + b"abc", ("POST", "/", b"abc")),
    "spaces around a value": (post(b"Content-Length: \t3 ") + b"abc", ("POST", "/", b"abc")),
    "chunks": (
        CHUNKED + b"2;a=b\r\nab\r\n00A\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
        ("POST", "/", b"ab0123456789"),
    ),
    "chunks in capitals": (post(b"transfer-encoding: Chunked") + b"0\r\n\r\n", ("POST", "/", b"")),
    "empty line first": (b"\r\n" + get(b"Host: x"), ("GET", "/", b"")),
    "field without a value": (get(b"Host: x", b"X:"), ("GET", "/", b"")),
    "empty host": (get(b"Host:"), ("GET", "/", b"")),
    "host of IPv6": (get(b"Host: [::1]:80"), ("GET", "/", b"")),
    "text that is not ASCII": (get(b"Host: x", b"X: \xe6\x97\xa5"), ("GET", "/", b"")),
    "absolute target": (b"GET HTTP://x:80/a?b=http://c HTTP/1.1\r\nHost: y\r\n\r\n", ("GET", "/a", b"")),
    "absolute target without a path": (b"GET http://x?a HTTP/1.1\r\nHost: x\r\n\r\n", ("GET", "/", b"")),
    "asterisk for OPTIONS": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", ("OPTIONS", "*", b"")),
    "escaped slash and per cent": (b"GET /a%2Fb%25%zz HTTP/1.1\r\nHost: x\r\n\r\n", ("GET", "/a/b%%zz", b"")),
    "two slashes": (b"GET //evil/a HTTP/1.1\r\nHost: x\r\n\r\n", ("GET", "//evil/a", b"")),
    "HTTP/1.0 kept alive": (b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", ("GET", "/", b"")),
    "unknown method": (b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", ("BREW", "/", b"")),
    "largest body": (
        post(b"Content-Length: %d" % LARGEST_BODY) + b"x" * LARGEST_BODY,
        ("POST", "/", b"x" * LARGEST_BODY),
    ),
}
