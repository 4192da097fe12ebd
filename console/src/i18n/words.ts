import { createStore, useStore } from '../kit/store';
import { textsOf, type Area, type AreaKey } from './areas';
import en from './en.json';
import { translate, type Message, type Messages, type Values } from './translate';

export const LANGUAGES = { en: 'English', th: 'ไทย' } as const;
export type Language = keyof typeof LANGUAGES;
export type Key = keyof typeof en | AreaKey;

export interface Translate {
  (key: Key, values?: Values): string;
  /** For keys that contain a code. Undefined when the code has no text. */
  maybe: (key: string, values?: Values) => string | undefined;
}

export interface Words {
  language: Language;
  /** The zone in which moments are shown, such as `Asia/Bangkok`. */
  zone: string;
  t: Translate;
}

const STORED = 'console-language';
/** The texts loaded so far, by language. The first script contains English. */
const loaded: Record<Language, Record<string, Message>> = { en: { ...en }, th: {} };
const areas = new Set<Area>();
const words = createStore<Words>({ language: 'en', zone: 'Asia/Bangkok', t: makeTranslate(en, 'en') });

/** The operator's language and zone, with the translation function. */
export const useWords = (): Words => useStore(words);
export const useT = (): Translate => useWords().t;

/** Translates outside of components, in the current language. */
export const translateNow = (key: Key, values?: Values): string => words.get().t(key, values);

export function setZone(zone: string): void {
  if (zone !== words.get().zone) words.set({ ...words.get(), zone });
}

/** Renders the console in this language. The browser remembers it for the next sign-in. @throws if its texts can't be loaded */
export async function setLanguage(language: Language): Promise<void> {
  const isOther = language !== words.get().language;
  if (isOther) await fetchTexts(language);
  window.localStorage.setItem(STORED, language);
  document.documentElement.lang = language;
  if (isOther) words.set({ ...words.get(), language, t: makeTranslate(loaded[language], language) });
}

/** Loads the texts of an area in the current language. */
export async function loadArea(area: Area): Promise<void> {
  areas.add(area);
  const before = words.get().language;
  await fetchTexts(before);
  const { language } = words.get();
  // When the language changed during the load, load the texts of the new language as well.
  if (language !== before) await fetchTexts(language);
  words.set({ ...words.get(), t: makeTranslate(loaded[words.get().language], words.get().language) });
}

/** The language that this browser used last, or else the browser's own. */
export function rememberedLanguage(): Language {
  const stored = window.localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'th') return stored;
  return window.navigator.language.startsWith('th') ? 'th' : 'en';
}

/** Loads the texts of the shell and of every area opened so far. */
async function fetchTexts(language: Language): Promise<void> {
  let known: number;
  do {
    known = areas.size;
    const shell = language === 'th' ? [import('./th.json')] : [];
    for (const { default: texts } of await Promise.all([
      ...shell,
      ...[...areas].map((each) => textsOf(each, language)),
    ]))
      Object.assign(loaded[language], texts);
  } while (areas.size > known);
}

function makeTranslate(messages: Messages, language: Language): Translate {
  const t = (key: Key, values?: Values): string => translate(messages, language, key, values);
  const maybe = (key: string, values?: Values): string | undefined =>
    key in messages ? translate(messages, language, key, values) : undefined;
  return Object.assign(t, { maybe });
}
