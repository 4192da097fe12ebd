import type { Translate } from '../i18n/words';

/** The detail of a call for display. The name of a network error follows its meaning. */
export function detailInWords(detail: string, t: Translate): string {
  const meaning = t.maybe(`network.${detail}`);
  return meaning === undefined ? detail : `${meaning} (${detail})`;
}
