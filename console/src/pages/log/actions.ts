import type { Translate } from '../../i18n/words';
import type { components } from '../../schema';

export type LogEntry = components['schemas']['LogEntryDto'];
export type Action = LogEntry['action'];

/** The actions by which operators can filter the audit log. */
export const ACTIONS: readonly Action[] = [
  ...(['code.reveal', 'order.cancel', 'order.inquire', 'order.note', 'order.resolve'] as const),
  ...(['review.claim', 'review.release', 'reversal.close'] as const),
  ...(['merchant.create', 'merchant.suspend', 'merchant.resume', 'merchant.set_alert'] as const),
  ...(['merchant.set_weight'] as const),
  ...(['channel.set', 'channel.remove', 'channel.sync', 'deposit.create', 'statement.import'] as const),
  ...(['payment.credit', 'payment.return', 'payment.ignore', 'payment.debit', 'payment.keep'] as const),
  ...(['wallet.credit', 'wallet.debit', 'approval.request', 'approval.reject', 'approval.withdraw'] as const),
  ...(['api_key.issue', 'api_key.rotate', 'api_key.revoke'] as const),
  ...(['price.set', 'price.clear', 'price.import', 'price.adjust', 'product.set', 'product.import'] as const),
  ...(['offer.set', 'offer.remove', 'fx.set', 'supplier.set', 'supplier.remove'] as const),
  ...(['supplier.pause', 'supplier.resume', 'supplier.sync', 'supplier.test'] as const),
  ...(['webhook.replay', 'webhook.retry', 'webhook.test'] as const),
  ...(['report.run', 'audit.run', 'month.close', 'month.archive', 'month.restore', 'job.cancel'] as const),
  ...(['operator.create', 'operator.set_role', 'operator.disable', 'operator.enable'] as const),
  ...(['operator.reset', 'operator.unlock', 'operator.set_password', 'operator.set_profile'] as const),
  ...(['operator.allow_company', 'operator.link_company'] as const),
  ...(['session.sign_in', 'session.refused', 'session.end'] as const),
  ...(['second_factor.set', 'second_factor.remove', 'secrets.rotate', 'export.run'] as const),
];

/** The translated action, or its name when there is no translation. */
export const actionInWords = (action: string, t: Translate): string => t.maybe(`log.action.${action}`) ?? action;
