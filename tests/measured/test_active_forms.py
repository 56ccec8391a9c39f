"""What may run, load, send or lead away, in whatever form: each is refused before any policy is asked."""

from __future__ import annotations

import pytest

from measured.site import allowlist

FORMS = [
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java&#115;cript:alert(1)">x</a>',
    '<a href="javascript&colon;alert(1)">x</a>',
    '<a href="&#x6A;avascript&#x3A;alert(1)">x</a>',
    '<a href="jav&Tab;ascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href=" \x01javascript:alert(1)">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="x" ping="https://example.org/">x</a>',
    '<button formaction="javascript:alert(1)">x</button>',
    '<form action="https://example.org/"><input name="a"></form>',
    '<input type="image" formaction="x" src="y">',
    '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
    '<iframe src="x"></iframe>',
    '<object data="x"></object>',
    '<embed src="x">',
    '<portal src="x"></portal>',
    '<meta http-equiv="refresh" content="0;url=https://example.org/">',
    '<META HTTP-EQUIV="&#114;efresh" content="0">',
    '<base href="https://example.org/">',
    '<link rel="stylesheet" href="x.css">',
    '<link rel="prefetch" href="https://example.org/">',
    "<style>@import 'https://example.org/'</style>",
    '<p style="background:url(https://example.org/)">x</p>',
    "<script>alert(1)</script>",
    "<ScRiPt src=x></sCrIpT>",
    '<img src="x" onerror="alert(1)">',
    "<img src=x/onerror=alert(1)// onload=alert(1)>",
    '<img srcset="https://example.org/x 1x" src="y" onload=alert(1)>',
    '<details open ontoggle="alert(1)"><summary>x</summary></details>',
    '<p onpointerenter="alert(1)">x</p>',
    '<svg onload="alert(1)"></svg>',
    "<svg><script>alert(1)</script></svg>",
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<svg><animate attributeName="href" values="javascript:alert(1)"/></svg>',
    '<svg><set attributeName="href" to="javascript:alert(1)"/></svg>',
    '<svg><animateTransform onbegin="alert(1)"/></svg>',
    '<svg><use href="data:image/svg+xml,x"/></svg>',
    '<svg><foreignObject><iframe src="x"></iframe></foreignObject></svg>',
    '<math><maction actiontype="statusline" xlink:href="javascript:alert(1)"><mi>x</mi></maction></math>',
    '<math href="javascript:alert(1)"><mi>x</mi></math>',
    '<video src="x" autoplay onplay="alert(1)"></video>',
    '<template shadowrootmode="open"><script>alert(1)</script></template>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    "<marquee onstart=alert(1)>x</marquee>",
    '<x is="y" contenteditable onfocus="alert(1)" autofocus>x</x>',
]


@pytest.mark.parametrize("form", FORMS)
def test_it_is_refused(form):
    assert list(allowlist.problems_of_fragment(form))


@pytest.mark.parametrize(
    "harmless",
    [
        '<a href="https://example.org/">x</a>',
        '<a href="../other/#javascript:x">x</a>',
        "<p>javascript:alert(1)</p>",
        "<code>&lt;script&gt;</code>",
    ],
)
def test_what_only_looks_like_it_may_stand(harmless):
    assert list(allowlist.problems_of_fragment(harmless)) == []
