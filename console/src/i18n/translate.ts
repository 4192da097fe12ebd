/** A text, or one text for each plural form. `other` replaces a missing form. */
export type Message = string | { readonly one?: string; readonly other: string };
export type Messages = Readonly<Record<string, Message>>;
export type Values = Readonly<Record<string, string | number>>;

const PLACEHOLDER = /\{(\w+)\}/g;

/**
 * Translates a key and fills in its placeholders. `count` selects the plural form, and numbers follow the language. A
 * missing key is shown as it is, so that testers notice it.
 */
export function translate(messages: Messages, language: string, key: string, values: Values = {}): string {
  const message = messages[key];
  if (message === undefined) return key;
  const numbers = new Intl.NumberFormat(language);
  return formOf(message, language, values.count).replace(PLACEHOLDER, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

function formOf(message: Message, language: string, count: string | number | undefined): string {
  if (typeof message === 'string') return message;
  const form = new Intl.PluralRules(language).select(Number(count ?? 0));
  return form === 'one' ? (message.one ?? message.other) : message.other;
}

/** The distinct placeholders of a message and its plural forms, sorted. */
export function placeholdersOf(message: Message): string[] {
  const forms = typeof message === 'string' ? [message] : Object.values(message);
  const names = forms.flatMap((form) => [...form.matchAll(PLACEHOLDER)].map(([, name]) => name ?? ''));
  return [...new Set(names)].sort();
}
