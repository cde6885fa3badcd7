/** Light or dark like the reader's system; one accent colour, and red for failures only. */
export const reportStyle = `
:root{--paper:#fff;--ink:#1c2024;--soft:#60646c;--line:#e3e5e8;--accent:#0b62c4;--bad:#c4211a;--good:#1d7a3c;--warn:#8a5a00;
--working:#4c8fdc;--verifying:#2f9d8f;--limit:#e0a92e;--outage:#d98243;--rest:#b9bec5;--ask:#9a78d0;--launch:#c9dcf3;--fold:#f1f2f4}
@media(prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e7e9ec;--soft:#9aa1ab;--line:#2c3035;--accent:#7db4f5;--bad:#ff7b72;
--good:#6bcf8a;--warn:#e3b341;--working:#3b76bd;--verifying:#2b8579;--limit:#a9791a;--outage:#a35c2a;--rest:#545a63;--ask:#7556a8;--launch:#2b4766;--fold:#1f2226}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:15px;margin:28px 0 8px}
.head{margin:0;color:var(--soft)}.head span{display:inline-block;margin-right:18px}
.needs{list-style:none;margin:0;padding:0}.needs li{border-left:3px solid var(--warn);padding:4px 12px;margin:0 0 10px;overflow-wrap:anywhere}
code{font:13px ui-monospace,monospace;background:var(--fold);border-radius:3px;padding:1px 5px}
pre{font:13px/1.4 ui-monospace,monospace;background:var(--fold);border-radius:3px;padding:6px 10px;margin:6px 0;overflow-x:auto}
.sign{font-weight:700}.good{color:var(--good);fill:var(--good)}.bad{color:var(--bad);fill:var(--bad)}
.person{color:var(--warn);fill:var(--warn)}.rest{color:var(--soft);fill:var(--soft)}.busy{color:var(--accent);fill:var(--accent)}
.scroll{overflow-x:auto}.timeline{display:block;width:100%;min-width:760px;font:12px system-ui,sans-serif}
.timeline text{fill:var(--ink)}.timeline .sign.good{fill:var(--good)}.timeline .sign.bad{fill:var(--bad)}.timeline .sign.person{fill:var(--warn)}
.timeline .sign.rest{fill:var(--soft)}.timeline .sign.busy{fill:var(--accent)}
.timeline .time,.timeline .fold text{fill:var(--soft);font-size:11px}.tick,.rule{stroke:var(--line)}
.fold rect{fill:var(--fold)}
.bar.launching{fill:var(--launch);background:var(--launch)}.bar.working{fill:var(--working);background:var(--working)}
.bar.waiting_answer{fill:var(--ask);background:var(--ask)}.bar.waiting_limit{fill:var(--limit);background:var(--limit)}
.bar.waiting_outage{fill:var(--outage);background:var(--outage)}.bar.verifying{fill:var(--verifying);background:var(--verifying)}
.bar.checkpoint{fill:var(--ask);background:var(--ask);fill-opacity:.55;opacity:.75}.bar.paused{fill:var(--rest);background:var(--rest)}
.mark circle{fill:var(--paper);stroke:var(--soft)}.mark text{font-size:10px;font-weight:700}
.mark:is(.failure,.refusal,.crash) circle{stroke:var(--bad)}.timeline .mark:is(.failure,.refusal,.crash) text{fill:var(--bad)}
.timeline .mark.commit text{fill:var(--good)}.timeline .mark.decision text,.timeline .mark.question text{fill:var(--accent)}
.legend{color:var(--soft);font-size:12px;margin:8px 0 0}.legend span{margin-right:14px;white-space:nowrap;display:inline-block}
.legend i{display:inline-block;width:14px;height:10px;border-radius:2px;margin-right:5px}.legend b{margin-right:4px;color:var(--ink)}
.legend b:is(.failure,.refusal,.crash){color:var(--bad)}
details{border-top:1px solid var(--line)}summary{padding:7px 0;cursor:pointer;overflow-wrap:anywhere}.facts{color:var(--soft);margin-left:8px}
dl{display:grid;grid-template-columns:90px 1fr;gap:2px 12px;margin:0 0 12px 18px;font-size:14px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:14px}td{padding:4px 16px 4px 0;vertical-align:top;white-space:nowrap}
footer{margin-top:32px;color:var(--soft);font-size:12px}
@media print{details>*{display:block}}
`;
