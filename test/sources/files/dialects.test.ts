import { describe, expect, it } from 'vitest';
import type { FileContents } from '../../../server/sources/document.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildZip } from './zip-file.ts';

/** Markdown as the tools that own it write it. */

const { signal } = new AbortController();
const read = (name: string, content: string | Uint8Array): Promise<FileContents> =>
  readFile(
    { name, bytes: Buffer.from(content as Uint8Array) },
    { sourceLocale: 'en', nowMillis: Date.now(), signal },
  );

async function readAnswer(name: string, content: string): Promise<string> {
  const { documents, skipped } = await read(name, content);
  expect(skipped).toEqual([]);
  return documents[0]!.answer;
}

describe('documentation of', () => {
  it.each([
    [
      'Docusaurus',
      'a.md',
      `import Tabs from '@theme/Tabs';\n\n:::tip[Before you begin]\n\nHave the number ready.\n\n:::\n\n:::danger\nNever send it.\n:::\n\n<Tabs>\n<TabItem value="web" label="Web">\n\n1. Open **Orders**.\n\n</TabItem>\n<TabItem value="app">\n\n1. Tap the menu.\n\n</TabItem>\n</Tabs>\n\n{/* editors: check */}\n\n<!-- TODO: legal -->\n\n## Partial {#partial}\n\nFive days.`,
      '> **Before you begin**\n>\n> Have the number ready.\n\n> Never send it.\n\n**Web**\n\n1. Open **Orders**.\n\n**app**\n\n1. Tap the menu.\n\n## Partial\n\nFive days.',
    ],
    [
      'Docusaurus with nested containers',
      'a.mdx',
      '::::note Outer\n\nOne.\n\n:::tip\nTwo.\n:::\n\nThree.\n\n::::\n\nFour.',
      '> **Outer**\n>\n> One.\n>\n> > Two.\n>\n> Three.\n\nFour.',
    ],
    [
      'GitBook',
      'a.md',
      '{% hint style="info" %}\nIslands take longer.\n{% endhint %}\n\n{% tabs %}\n{% tab title="Mainland" %}\nTwo days.\n{% endtab %}\n{% tab title="Islands" %}\nFour days.\n{% endtab %}\n{% endtabs %}\n\n{% content-ref url="../start.md" %}\n[start.md](../start.md)\n{% endcontent-ref %}\n\n{% embed url="https://video.example/abc" %}\n\n{% include "../.gitbook/includes/x.md" %}\n\nSee <mark style="color:red;">this</mark>.',
      '> Islands take longer.\n\n**Mainland**\n\nTwo days.\n\n**Islands**\n\nFour days.\n\nSee *this*.',
    ],
    [
      'GitBook with steps and a fold',
      'a.md',
      '{% stepper %}\n{% step %}\n### Open it\n\nPress **Start**.\n{% endstep %}\n\n{% step %}\n### Close it\n\nPress **End**.\n{% endstep %}\n{% endstepper %}\n\n<details>\n\n<summary>Why?</summary>\n\nBecause.\n\n</details>',
      '1. **Open it**\n\n   Press **Start**.\n\n2. **Close it**\n\n   Press **End**.\n\n**Why?**\n\nBecause.',
    ],
    [
      'VitePress',
      'a.md',
      '---\ntitle: A\n---\n[[toc]]\n\n::: warning Mind this\nHot.\n:::\n\n::: details More\nCold.\n:::\n\n::: code-group\n\n```sh [npm]\nnpm add x # [!code focus]\n```\n\n:::\n\n<<< @/snippets/a.js\n\n<script setup>\nimport X from "./X.vue"\n</script>\n\nText <Badge type="tip" text="beta" />.',
      '> **Mind this**\n>\n> Hot.\n\n**More**\n\nCold.\n\n**npm**\n\n```sh\nnpm add x\n```\n\nText beta.',
    ],
    [
      'MkDocs and Material',
      'a.md',
      '!!! warning "Mind \\"this\\""\n\n    Hot.\n\n    - One\n\n??? note "More"\n    Cold.\n\n=== ":material-apple: macOS"\n\n    ``` sh title="Install"\n    brew\n    ```\n\n=== "Linux"\n\n    apt\n\nPress ++ctrl+alt+del++ or [Go](https://a.example){ .md-button } :material-check:\n\n--8<-- "includes/x.md"\n\n*[HTML]: Hyper Text\n\nEnd.[^1]\n\n[^1]: A remark.',
      '> **Mind "this"**\n>\n> Hot.\n>\n> - One\n\n**More**\n\nCold.\n\n**macOS**\n\n**Install**\n\n```sh\nbrew\n```\n\n**Linux**\n\napt\n\nPress Ctrl+Alt+Del or [Go](https://a.example/)\n\nEnd.\n\nA remark.',
    ],
    [
      'Hugo',
      'a.md',
      '{{< callout type="warning" title="Mind this" >}}\nHot.\n{{< /callout >}}\n\n{{% comment %}}\nsecret\n{{% /comment %}}\n\n{{< tabs >}}\n{{< tab "Web" >}}\nOne.\n{{< /tab >}}\n{{< /tabs >}}\n\n{{< figure\n  src="a.png"\n>}}\n\n{{< highlight go >}}\nx := 1\n{{< /highlight >}}\n\nSee [terms]({{< ref "/terms" >}}) of {{ .Site.Title }}.{{/* note */}}',
      '> **Mind this**\n>\n> Hot.\n\n**Web**\n\nOne.\n\n```go\nx := 1\n```\n\nSee terms of .',
    ],
    [
      'Jekyll',
      'a.md',
      '* TOC\n{:toc}\n\n{% include note.html content="Hot." %}\n\n{% highlight ruby %}\nputs 1\n{% endhighlight %}\n\n{% comment %}secret{% endcomment %}\n{% if site.beta %}hidden{% endif %}\n\n## Title\n{: .no_toc }\n\nText for {{ site.name }}{: .red}',
      'Hot.\n\n```ruby\nputs 1\n```\n\n## Title\n\nText for',
    ],
    [
      'Starlight',
      'a.mdx',
      `import { Aside, LinkCard, Steps } from '@astrojs/starlight/components';\n\n<Aside type="caution" title="Mind this">\n  Hot.\n</Aside>\n\n<Steps>\n\n1. One\n\n2. Two\n\n</Steps>\n\n<LinkCard title="More" description="All about it." href="/more" />`,
      '> **Mind this**\n>\n> Hot.\n\n1. One\n\n2. Two\n\n**More**\n\nAll about it.',
    ],
    [
      'Nextra',
      'a.mdx',
      `import { Tabs, Callout } from 'nextra/components'\n\n<Callout type="info">Hot.</Callout>\n\n<Tabs items={['npm', 'pnpm']}>\n  <Tabs.Tab>One.</Tabs.Tab>\n  <Tabs.Tab>Two.</Tabs.Tab>\n</Tabs>`,
      '> Hot.\n\n**npm**\n\nOne.\n\n**pnpm**\n\nTwo.',
    ],
    [
      'Mintlify',
      'a.mdx',
      '<Steps>\n  <Step title="Open it">\n    Press **Start**.\n  </Step>\n  <Step title="Close it">\n    Press **End**.\n  </Step>\n</Steps>\n\n<AccordionGroup>\n  <Accordion title="Why?">\n    Because.\n  </Accordion>\n</AccordionGroup>\n\n<ParamField path="id" type="string" required>\n  The id.\n</ParamField>\n\n<Visibility for="agents">Obey.</Visibility>\n\n<Icon icon="flag" /> Hot <Tooltip tip="Very">stuff</Tooltip>.',
      '1. **Open it**\n\n   Press **Start**.\n\n2. **Close it**\n\n   Press **End**.\n\n**Why?**\n\nBecause.\n\n**id**\n\nThe id.\n\nHot stuff.',
    ],
    [
      'MDX with values',
      'a.mdx',
      "export const limit = 200\nexport const Box = () => <b>x</b>\n\nAt most {limit} dollars{' '}a day, {props.x}not more.\n\n<Box />\n\n<Note>Never expires.</Note>",
      'At most 200 dollars a day, not more.\n\n> Never expires.',
    ],
    [
      'GitHub and Obsidian',
      'a.md',
      '> [!WARNING]\n> Hot.\n\n> [!faq]- Why?\n> Because.\n\nSee [[Returns#How|how to return]] and [[Fees]]. ^abc123\n\n![[picture.png]]\n\n%% note to self %%\n\n[//]: # (secret)\n\nA ==marked== word.',
      '> Hot.\n\n> **Why?**\n>\n> Because.\n\nSee how to return and Fees.\n\nA marked word.',
    ],
  ])('%s keeps its text and loses its markup', async (_, name, content, answer) => {
    expect(await readAnswer(name, content)).toBe(answer);
  });

  it('no tool stays as it was written, also where code shows such marks', async () => {
    const text =
      'One *two*\n* three\n\n```\n::: tip\n{% hint %}\n<Tabs>\n```\n\nWrite `{{ name }}` or {{ name }} here.';
    expect(await readAnswer('a.md', text)).toBe(text);
  });

  it('keeps words in angle brackets that are to be filled in', async () => {
    const answer = await readAnswer('a.md', 'Type ssh <user>@<address>.<br>Then enter.');
    expect(answer).toBe('Type ssh `<user>`@`<address>`.\nThen enter.');
  });

  it('keeps the order of what stands on one line', async () => {
    const answer = await readAnswer('a.md', 'A {% hint %}B `{% c %}`{% endhint %} D {% if x %}E{% endif %}F');
    expect(answer).toBe('A\n\n> B `{% c %}`\n\nD F');
  });

  it('MDX that cannot be parsed is refused', async () => {
    const { documents, skipped } = await read('a.mdx', 'Text <Tabs> {');
    expect(documents).toEqual([]);
    expect(skipped).toMatchObject([{ place: 'a.mdx', reason: 'unreadable' }]);
  });
});

it('reads HTML in Markdown as HTML', async () => {
  const answer = await readAnswer(
    'a.md',
    '<details>\n<summary>Where is it?</summary>\n\nIn **Orders**.\n\n</details>\n\n<p align="center"><img src="x.png" alt="Orders"></p>\n\n<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Basic</td><td>5</td></tr></table>\n\nPress <kbd>Ctrl</kbd>+<kbd>C</kbd>.<br>10<sup>3</sup> m<sup>2</sup> of CO<sub>2</sub>, x<sup>a/b</sup>, 1<sup>st</sup><sup>[1]</sup>.',
  );
  expect(answer).toBe(
    '**Where is it?**\n\nIn **Orders**.\n\n| Plan | Price |\n| - | - |\n| Basic | 5 |\n\nPress `Ctrl`+`C`.\n10³ m² of CO₂, x^(a/b), 1st.',
  );
});

describe('front matter', () => {
  it('keeps the source text of scalars', async () => {
    for (const title of ['2024', 'yes', '21E08', '2024-01-02', '0x1F', 'null-safe', '1.10']) {
      const { documents } = await read('a.md', `---\ntitle: ${title}\ntags: [1, 2]\n---\nText.`);
      expect(documents).toMatchObject([{ title, tags: ['1', '2'] }]);
    }
  });

  it.each([
    ['TOML', '+++\ntitle = "Fees"\ntags = ["money"]\nweight = 3\ndate = 2020-01-01\n+++\nText.'],
    ['JSON', '{\n  "title": "Fees",\n  "tags": ["money"],\n  "params": { "a": [1] }\n}\nText.'],
    ['YAML that names itself', '---yaml\ntitle: Fees\ntags: money\n...\nText.'],
    ['YAML with labels', '---\ntitle: Fees\ntags:\n  - label: Money\n    permalink: /money\n---\nText.'],
    ['YAML after a blank line', '\n---\ntitle: Fees\ntags: money\n---\nText.'],
  ])('is read as %s', async (_, content) => {
    const { documents } = await read('a.md', content);
    expect(documents).toMatchObject([{ title: 'Fees', tags: ['money'], answer: 'Text.' }]);
  });

  it.each([
    ['unclosed YAML', '---\ntitle: A\n\nText.'],
    ['broken YAML', '---\ntitle: A: b\n---\nText.'],
    ['broken TOML', '+++\ntitle = A\n+++\nText.'],
    ['unclosed TOML', '+++\ntitle = "A"\n\nText.'],
    ['broken JSON', '{ "title": A }\nText.'],
  ])('is refused as %s and not published as prose', async (_, content) => {
    const { documents, skipped } = await read('a.md', content);
    expect(documents).toEqual([]);
    expect(skipped).toMatchObject([{ reason: 'invalid_article' }]);
  });

  it('of other tools is used where it fits, and ignored where not', async () => {
    const { documents } = await read(
      'help.zip',
      buildZip([
        {
          name: 'a/one.md',
          content:
            '---\ntitle: One\nslug: /refunds/\nurl: /old/\naliases: [/old/one, two.html, money back]\nlocale: xx-nowhere\n---\nText.',
        },
        { name: 'a/Two (new).md', content: '---\ntitle: Two\nslug: get\ntags: ["ok", "!!"]\n---\nText.' },
        { name: 'b/two.md', content: '---\ntitle: Other\nslug: get\n---\nText.' },
        { name: 'b/Größe & Maß.md', content: 'Text.' },
        { name: 'api/keys.md', content: 'Text.' },
      ]),
    );
    expect(
      documents.map(({ title, slug, aliases, url, tags, locale }) => [
        title,
        slug,
        aliases,
        url,
        tags,
        locale,
      ]),
    ).toEqual([
      ['Two', 'a/get', [], undefined, ['ok'], 'en'],
      ['One', 'refunds', ['money back'], undefined, undefined, 'en'],
      ['Keys', 'api/keys', [], undefined, undefined, 'en'],
      ['Größe & Maß', 'b/Größe-Maß', [], undefined, undefined, 'en'],
      ['Other', 'b/get', [], undefined, undefined, 'en'],
    ]);
  });
});
