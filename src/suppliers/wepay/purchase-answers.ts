import { failure } from '../../core/failures.js';
import { storable } from '../../core/text.js';
import type { Attempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { isOther, nameOf, shownText, type Members } from '../adapter-answers.js';
import { RESPONSE_CODES } from './response-codes.js';
import { baht, codeInWords, readCoded, uncoded, type CodedAnswer } from './wepay-data.js';

const MAX_MESSAGE_LENGTH = 400;

/**
 * The outcome of an answer to a purchase. An accepted purchase may still fail. An undocumented code means `unknown`. So does any
 * refusal of a repeat, because such a refusal says nothing about the first send.
 */
export function readPurchaseAnswer(answer: HttpAnswer, attempt: Attempt): SupplierOutcome {
  const coded = readCoded(answer);
  if (!coded) return uncoded(answer);
  const { dest_ref: reference } = coded.members;
  if (isOther(reference, attempt.reference)) {
    return { kind: 'unknown', detail: 'the answer is about another reference' };
  }
  return meaningOf(coded, attempt);
}

function meaningOf({ code, members }: CodedAnswer, { isRepeat }: Attempt): SupplierOutcome {
  const detail = codeInWords(code);
  const meaning = RESPONSE_CODES.get(code)?.meaning ?? { kind: 'unknown' };
  switch (meaning.kind) {
    case 'processing':
      return accepted(members);
    case 'repeated':
      return { kind: 'unknown', detail, waitsForCallback: true };
    case 'unknown':
      return { kind: 'unknown', detail };
    case 'not_accepted':
      return { kind: isRepeat ? 'unknown' : 'not_accepted', detail, fault: meaning.fault };
    case 'failed': {
      if (isRepeat) return { kind: 'unknown', detail };
      const { code: ours, failover, isPriceRefused } = meaning;
      const reported = failure(ours, refusalInWords(members, code));
      return { kind: 'failed', ...reported, failover, ...(isPriceRefused && { isPriceRefused }) };
    }
  }
}

/** The outcome of an accepted purchase. It has the transaction's id, because the supplier answers inquiries only by that id. */
function accepted({ transaction_id: id, total_amount: total }: Members): SupplierOutcome {
  const supplierReference = nameOf(id);
  const cost = baht(total);
  return {
    kind: 'processing',
    ...(supplierReference !== undefined && { supplierReference }),
    ...(cost && { cost }),
  };
}

function refusalInWords({ desc }: Members, code: string): string {
  const shown = storable(shownText(desc), MAX_MESSAGE_LENGTH);
  return `${shown === '' ? RESPONSE_CODES.get(code)?.label : shown} (${code})`;
}
