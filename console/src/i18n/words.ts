import { createStore, useStore } from '../kit/store';
import en from './en.json';
import { translate, type Messages, type Values } from './translate';

export const LANGUAGES = { en: 'English', th: 'ไทย' } as const;
export type Language = keyof typeof LANGUAGES;
export type Key = keyof typeof en;

export interface Translate {
  (key: Key, values?: Values): string;
  /** For keys that are made from codes; undefined where the code has no text of its own. */
  maybe: (key: string, values?: Values) => string | undefined;
}

export interface Words {
  language: Language;
  /** In which moments are shown, such as `Asia/Bangkok`. */
  zone: string;
  t: Translate;
}

const STORED = 'console-language';
const words = createStore<Words>({ language: 'en', zone: 'Asia/Bangkok', t: makeTranslate(en, 'en') });

/** The operator's language and zone, and the texts in it. */
export const useWords = (): Words => useStore(words);
export const useT = (): Translate => useWords().t;

export function setZone(zone: string): void {
  if (zone !== words.get().zone) words.set({ ...words.get(), zone });
}

/** Everything is drawn again in this language, and the browser remembers it for the next sign-in. */
export async function setLanguage(language: Language): Promise<void> {
  window.localStorage.setItem(STORED, language);
  document.documentElement.lang = language;
  if (language === words.get().language) return;
  const t = makeTranslate(await loadMessages(language), language);
  words.set({ ...words.get(), language, t });
}

/** The language that this browser used last, else the browser's own. */
export function rememberedLanguage(): Language {
  const stored = window.localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'th') return stored;
  return window.navigator.language.startsWith('th') ? 'th' : 'en';
}

/** English comes with the first script; another language is loaded when it is chosen. */
async function loadMessages(language: Language): Promise<Messages> {
  return language === 'th' ? (await import('./th.json')).default : en;
}

function makeTranslate(messages: Messages, language: Language): Translate {
  const t = (key: Key, values?: Values): string => translate(messages, language, key, values);
  const maybe = (key: string, values?: Values): string | undefined =>
    key in messages ? translate(messages, language, key, values) : undefined;
  return Object.assign(t, { maybe });
}
