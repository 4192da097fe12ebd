import type { Message } from './callbacks.js';
import type { Json } from './shapes.js';

/** The fields of a form-encoded text; the last value of a repeated name counts. */
export function formFields(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The text fields of a multipart body, or null when it is not one. */
export function multipartFields(body: string, contentType: string): Record<string, string> | null {
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || !body.includes(`--${boundary}--`)) return null;
  const parts = body.split(`--${boundary}`).slice(1, -1);
  const fields: Record<string, string> = {};
  for (const part of parts) {
    const [, head = '', value = ''] = /^\r\n([\s\S]*?)\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    const name = /name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return null;
    fields[name] = value;
  }
  return fields;
}

/** Fields as a form-encoded text. */
export function formText(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

/** A form-encoded message. */
export function formMessage(fields: Readonly<Record<string, string>>): Omit<Message, 'url'> {
  return { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: formText(fields) };
}

/** Members of any kind as texts, as a form has them. */
export function textMembers(members: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
}
