/** The parts of openapi.json that the site reads. */
export interface OpenApi {
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    parameters: Record<string, Parameter>;
  };
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Content;
}

export interface Header {
  description: string;
  schema: Schema;
}

export type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>;

export interface Example {
  summary: string;
  value: unknown;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: (string | number | boolean | null)[];
  const?: string;
  format?: string;
  example?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
}

export interface Endpoint {
  method: Method;
  path: string;
  operation: Operation;
}

export const endpointsOf = (document: OpenApi): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.keys(item) as Method[])
      .filter((method) => METHODS.includes(method))
      .map((method) => ({ method, path, operation: item[method] as Operation })),
  );

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

/** The name of the schema that one refers to; undefined for a schema described in place. */
export const schemaName = ({ $ref, allOf }: Schema): string | undefined =>
  $ref === undefined ? allOf?.map(schemaName).find((name) => name !== undefined) : nameIn($ref);

/** The schema itself, or the one it refers to. */
export function resolveSchema(document: OpenApi, schema: Schema): Schema {
  const name = schemaName(schema);
  if (name === undefined) return schema;
  const found = document.components.schemas[name];
  if (!found) throw new Error(`openapi.json has no schema ${name}`);
  return { ...found, ...(schema.description === undefined ? {} : { description: schema.description }) };
}

export function resolveParameter(document: OpenApi, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = document.components.parameters[nameIn(parameter.$ref)];
  if (!found) throw new Error(`openapi.json has no parameter ${parameter.$ref}`);
  return found;
}

/** A valid value, composed of the examples in the schema. */
export function exampleOf(document: OpenApi, schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example;
  const { properties, items, enum: values, const: only, oneOf, type } = resolveSchema(document, schema);
  const resolved = resolveSchema(document, schema);
  if (resolved.example !== undefined) return resolved.example;
  if (only !== undefined) return only;
  if (oneOf?.[0]) return exampleOf(document, oneOf[0]);
  if (properties) {
    const required = new Set(resolved.required ?? Object.keys(properties));
    const members = Object.entries(properties).filter(([name]) => required.has(name));
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(document, member)]));
  }
  if (items) return [exampleOf(document, items)];
  if (values) return values[0];
  return type === 'integer' ? 1 : type === 'boolean' ? true : type === 'object' ? {} : 'text';
}
