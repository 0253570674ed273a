"""Texts of producers that want to be more than text."""

LONGEST = 3_000

TEXTS = {
    "script": "</script><img src=x onerror=alert(1)>",
    "attribute": '"\' onmouseover=alert(2) autofocus onfocus=alert(3) x="',
    "template": "{{constructor.constructor('alert(4)')()}}${alert(5)}<%= 7 %>",
    "address": "javascript:alert(6)//https://example.com/?a=<svg/onload=alert(7)>",
    "right to left": "invoice\u202egnp.exe\u2066",
    "zero": "before\0after",
    "controls": "one\ntwo\r\x1b[31mred\x07\u2028three",
    "formula": "=cmd|' /C calc'!A0",
    "path": "../../etc/passwd?token=1&cursor=2#x/%2e%2e%00",
    "wide": "Ω" * 60 + "👩‍👩‍👧‍👦" * 20 + "\ufdfd" * 10,
    "long": "x" * LONGEST,
}
"""In a store that does not look, a text may hold half of a surrogate pair."""
SURROGATE = b"half \xed\xa0\x80 pair"
