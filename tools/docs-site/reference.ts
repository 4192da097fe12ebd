import { codeBlock } from './code-view.js';
import { curlOf } from './curl.js';
import { anchorOf, escape, textOf } from './html.js';
import { markdownInline, markdownText, type Content, type PageSection } from './markdown.js';
import {
  endpointsOf,
  exampleOf,
  resolveSchema,
  schemaName,
  type Endpoint,
  type OpenApi,
  type Response,
  type Schema,
} from './openapi-document.js';
import { displayName, SchemaView } from './schema-view.js';
import { REFERENCE } from './site-map.js';

const JSON_TYPE = 'application/json';
/** Any route may answer with this one; the introduction explains it. */
const ERROR = 'ErrorDto';

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const indented = (value: unknown): string => codeBlock(json(value), 'json', 'Answer');

/** Makes the reference pages from openapi.json. */
export class Reference {
  private readonly places: ReadonlyMap<string, string>;
  private readonly view: SchemaView;

  constructor(private readonly document: OpenApi) {
    this.places = placesOf(document);
    this.view = new SchemaView(document, (name) => this.places.get(name));
  }

  get tags(): string[] {
    return this.document.tags.map(({ name }) => name);
  }

  /** All requests of one tag, and the objects that they return. */
  pageOf(tag: string): Content {
    const about = this.document.tags.find(({ name }) => name === tag)?.description ?? '';
    const endpoints = endpointsOf(this.document).filter(({ operation }) => operation.tags.includes(tag));
    const objects = [...this.places].filter(([, place]) => place.startsWith(`${pathOf(tag)}#`)).map(([name]) => name);
    const sections = [
      ...endpoints.map((endpoint) => this.endpoint(endpoint)),
      ...objects.map((name) => this.object(name)),
    ];
    return pageWith(tag, `${about}.`, sections);
  }

  /** The payload of each event, for receivers of webhooks and readers of `GET /v1/events`. */
  events(): Content {
    const parts = Object.entries(this.document.webhooks).map(([name, { post }]) => {
      const [body] = Object.values(post.requestBody?.content ?? {});
      const [example] = Object.values(body?.examples ?? {});
      const schema = body?.schema ?? {};
      const { data } = resolveSchema(this.document, schema).properties ?? {};
      const words = `${markdownText(`${post.summary}.`)}<p><code>data</code>: ${this.view.typeOf(data ?? {})}</p>`;
      return section(name, words, codeBlock(json(example?.value), 'json', 'Body'));
    });
    const [first] = Object.values(this.document.webhooks);
    const headers = `<p>Every delivery has these headers, as <a href="/guides/webhooks#verifying">the guide</a> explains.</p>${this.view.parameters(first?.post.parameters ?? [])}`;
    const about = 'The body of each event, as it is posted to webhooks and read from `GET /v1/events`.';
    return pageWith('Event payloads', about, [...parts, section('Headers', headers)]);
  }

  /** The rules for every request. */
  introduction(): Content {
    const lists = this.tags.map((tag) => {
      const endpoints = endpointsOf(this.document).filter(({ operation }) => operation.tags.includes(tag));
      const lines = endpoints.map(
        ({ method, path, operation: { summary } }) =>
          `<li><a href="${pathOf(tag)}#${anchorOf(summary)}">${badge(method)} <code>${escape(path)}</code> <span>${escape(summary)}</span></a></li>`,
      );
      return `<h3>${escape(tag)}</h3><ul class="endpoints">${lines.join('')}</ul>`;
    });
    const headers = Object.entries(this.document.components.headers).map(
      ([name, { description }]) =>
        `<tr><td><code>${escape(name)}</code></td><td>${markdownInline(description)}</td></tr>`,
    );
    const [error] = Object.values(
      this.document.paths['/v1/orders']?.post?.responses['400']?.content?.[JSON_TYPE]?.examples ?? {},
    );
    return pageWith(
      'API reference',
      'Every request that the API takes, and every answer. `openapi.json` is served at `/docs-json`.',
      [
        section('Requests', `${REQUESTS}${lists.join('')}`),
        section(
          'Errors',
          ERRORS + this.view.members({ $ref: `#/${ERROR}` }),
          codeBlock(json(error?.value), 'json', 'An error'),
        ),
        section(
          'Headers of answers',
          `<div class="table" tabindex="0" role="group" aria-label="Headers"><table><tbody>${headers.join('')}</tbody></table></div>`,
        ),
        section('Lists', LISTS),
      ],
    );
  }

  private endpoint({ method, path, operation }: Endpoint): Part {
    const { summary, description = '', parameters = [], requestBody, responses } = operation;
    const body = requestBody?.content[JSON_TYPE];
    const parts = [
      `<p class="route">${badge(method)} <code>${escape(path)}</code></p>`,
      markdownText(description),
      parameters.length > 0 ? `<h3>Parameters</h3>${this.view.parameters(parameters)}` : '',
      body ? `<h3>Body</h3>${this.view.members(body.schema)}` : '',
      `<h3>Answers</h3>${this.answers(responses)}`,
    ];
    const samples =
      codeBlock(curlOf(this.document, { method, path, operation }), 'sh', 'curl') + this.answerExample(responses);
    return section(summary, parts.join(''), samples, `${method.toUpperCase()} ${path}`);
  }

  private answers(responses: Record<string, Response>): string {
    const rows = Object.entries(responses).map(([status, { description, content }]) => {
      const schema = content?.[JSON_TYPE]?.schema;
      const type =
        schema && schemaName(schema) !== ERROR ? ` <span class="type">${this.answerType(schema)}</span>` : '';
      const words = description.replace(/\b[A-Z][A-Z_]+[A-Z]\b/g, (code) => `\`${code}\``);
      const number = `<span class="status s${status[0] ?? ''}">${escape(status)}</span>`;
      return `<dt>${number}</dt><dd>${markdownInline(words)}${type}</dd>`;
    });
    return `<dl class="answers">${rows.join('')}</dl>`;
  }

  /** A schema with `data` is a page of a list. */
  private answerType(schema: Schema): string {
    const { data } = schema.properties ?? {};
    return data
      ? `<a href="${REFERENCE}#lists">list</a> of ${this.view.typeOf(data.items ?? {})}`
      : this.view.typeOf(schema);
  }

  private answerExample(responses: Record<string, Response>): string {
    const [, { content = {} }] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? ['', {}];
    const schema = content[JSON_TYPE]?.schema;
    return schema ? indented(exampleOf(this.document, schema)) : '';
  }

  private object(name: string): Part {
    const schema = { $ref: `#/components/schemas/${name}` };
    const { description } = resolveSchema(this.document, schema);
    const about = description === undefined ? '' : markdownText(description);
    return section(displayName(name), about + this.view.members(schema));
  }
}

interface Part {
  html: string;
  section: PageSection;
}

const pathOf = (tag: string): string => `${REFERENCE}/${tag.toLowerCase()}`;
const badge = (method: string): string => `<span class="method ${method}">${method.toUpperCase()}</span>`;

function section(title: string, words: string, samples = '', line = ''): Part {
  const anchor = anchorOf(title);
  const heading = `<h2 id="${escape(anchor)}"><a class="anchor" href="#${escape(anchor)}">${escape(title)}</a></h2>`;
  const aside = samples === '' ? '' : `<div class="samples">${samples}</div>`;
  return {
    html: `<section class="${samples === '' ? 'plain' : 'beside'}"><div>${heading}${words}</div>${aside}</section>\n`,
    section: { anchor, title, depth: 2, text: `${line} ${textOf(words)}`.trim() },
  };
}

function pageWith(title: string, about: string, parts: readonly Part[]): Content {
  return {
    title,
    html: `<h1>${escape(title)}</h1><p>${markdownInline(about)}</p>${parts.map(({ html }) => html).join('')}`,
    sections: [
      { anchor: '', title, depth: 1, text: textOf(markdownInline(about)) },
      ...parts.map((part) => part.section),
    ],
    summary: textOf(markdownInline(about)),
  };
}

/** The place of each object: the page of the first tag that returns it, or of the event that carries it. */
function placesOf(document: OpenApi): Map<string, string> {
  const places = new Map<string, string>();
  for (const { operation } of endpointsOf(document)) {
    const [tag = ''] = operation.tags;
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = content?.[JSON_TYPE]?.schema;
      if (!status.startsWith('2') || !schema) continue;
      const name = schemaName(schema) ?? schemaName(schema.items ?? schema.properties?.data?.items ?? {});
      if (name !== undefined && !places.has(name)) places.set(name, `${pathOf(tag)}#${anchorOf(displayName(name))}`);
    }
  }
  for (const [event, { post }] of Object.entries(document.webhooks)) {
    const [body] = Object.values(post.requestBody?.content ?? {});
    const name = schemaName(body?.schema ?? {});
    if (name !== undefined) places.set(name, `${REFERENCE}/event-payloads#${anchorOf(event)}`);
  }
  return places;
}

const REQUESTS = `<p>Paths are relative to the address of the service. Every request carries your key in the header <code>X-API-Key</code>; bodies are JSON, sent with <code>Content-Type: application/json</code>. Try requests out in <a href="/docs">Swagger UI</a>, or with the snippets here:</p>${codeBlock('export TOPUP_URL=http://localhost:3000\nexport TOPUP_API_KEY=topup_test_…', 'sh')}`;
const ERRORS = `<p>Every error has the same body. Decide by <code>status</code> and <code>code</code>; <code>message</code> is for people. All of them are in <a href="${REFERENCE}/error-codes">error codes</a>, and <a href="/guides/errors-and-retries">the guide</a> says what to send again.</p>`;
const LISTS = `<p>Lists answer <code>{ data: [...], next_cursor }</code>. Give <code>next_cursor</code> as <code>cursor</code> to read on, until it is null; <code>limit</code> is 1 to 100, and 20 unless given. Events are read with <code>after</code> instead. Webhooks are a bare array.</p>`;
