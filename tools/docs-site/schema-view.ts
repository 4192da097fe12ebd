import { escape } from './html.js';
import { markdownText } from './markdown.js';
import {
  resolveParameter,
  resolveSchema,
  schemaName,
  type OpenApi,
  type Parameter,
  type Reference,
  type Schema,
} from './openapi-document.js';

/** Shows members and parameters. Objects that have a place of their own are linked to, not repeated. */
export class SchemaView {
  /** @param placeOf finds where a schema is shown, such as `/reference/orders#order`. */
  constructor(
    private readonly document: OpenApi,
    private readonly placeOf: (name: string) => string | undefined,
  ) {}

  /** The members of an object and of the objects inside it. */
  members(schema: Schema): string {
    const { properties = {}, required = [], oneOf } = resolveSchema(this.document, schema);
    if (oneOf) return `<p>One of ${oneOf.map((each) => this.typeOf(each)).join(', ')}.</p>`;
    const rows = Object.entries(properties).map(([name, member]) => this.row(name, member, required.includes(name)));
    return `<dl class="members">${rows.join('')}</dl>`;
  }

  parameters(parameters: readonly (Parameter | Reference)[]): string {
    const rows = parameters
      .map((each) => resolveParameter(this.document, each))
      .map(({ name, schema, description, required = false }) =>
        this.row(name, { ...schema, ...(description === undefined ? {} : { description }) }, required),
      );
    return `<dl class="members">${rows.join('')}</dl>`;
  }

  /** The type in words, such as `array of Order`, with a link to the object. */
  typeOf(schema: Schema): string {
    const name = schemaName(schema);
    if (name !== undefined) return this.named(name);
    if (schema.items) return `array of ${this.typeOf(schema.items)}`;
    if (schema.const !== undefined) return `<code>${escape(schema.const)}</code>`;
    const types = [schema.type ?? 'any'].flat();
    const words = types.map((type) => (type === 'string' && schema.format ? schema.format : type));
    return escape(words.join(' or '));
  }

  private named(name: string): string {
    const place = this.placeOf(name);
    const words = escape(displayName(name));
    return place === undefined ? words : `<a href="${escape(place)}">${words}</a>`;
  }

  private row(name: string, schema: Schema, isRequired: boolean): string {
    const demand = isRequired ? ' <span class="required">required</span>' : '';
    const facts = [this.limitsOf(schema), valuesOf(schema)].filter((each) => each !== '');
    const description = markdownText(schema.description ?? resolveSchema(this.document, schema).description ?? '');
    return (
      `<dt><code>${escape(name)}</code> <span class="type">${this.typeOf(schema)}</span>${demand}</dt>` +
      `<dd>${description}${facts.map((fact) => `<p class="fact">${fact}</p>`).join('')}${this.nested(schema)}</dd>`
    );
  }

  /** Objects without a place of their own are shown here. */
  private nested(schema: Schema): string {
    const inner = schema.items ?? schema;
    const name = schemaName(inner);
    const hasPlace = name !== undefined && this.placeOf(name) !== undefined;
    const { properties } = resolveSchema(this.document, inner);
    if (hasPlace || !properties) return '';
    return `<details><summary>Members of ${name === undefined ? 'the object' : escape(displayName(name))}</summary>${this.members(inner)}</details>`;
  }

  private limitsOf({ minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset }: Schema): string {
    const limits = [
      range(minLength, maxLength, 'characters'),
      range(minimum, maximum, ''),
      range(minItems, maxItems, 'elements'),
      preset === undefined ? '' : `default <code>${escape(JSON.stringify(preset))}</code>`,
    ];
    return limits.filter((each) => each !== '').join(', ');
  }
}

/** `CreateOrderDto` is shown as `CreateOrder`. */
export const displayName = (name: string): string => name.replace(/Dto$/, '');

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const numbers = [min, max].map((each) => each?.toLocaleString('en'));
  const [from, to] = numbers;
  const words = from === undefined ? to && `up to ${to}` : to === undefined ? `at least ${from}` : `${from} to ${to}`;
  return words ? `${words} ${unit}`.trim() : '';
}

/** The allowed values, but for those that the description explains. */
function valuesOf({ enum: values = [], description = '' }: Schema): string {
  const shown = values.filter((value) => value !== null && !description.includes(`- \`${String(value)}\``));
  return shown.map((value) => `<code>${escape(String(value))}</code>`).join(' ');
}
