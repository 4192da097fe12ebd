import { digiflazz } from './digiflazz.js';
import { lapakgaming } from './lapakgaming.js';
import { seagm } from './seagm.js';
import type { AnswerCode, VendorKind } from './vendor-kind.js';
import { wepay } from './wepay.js';

export const VENDORS: Readonly<Record<AnswerCode, VendorKind>> = {
  digi: digiflazz,
  wepay,
  lapak: lapakgaming,
  seagm,
};
