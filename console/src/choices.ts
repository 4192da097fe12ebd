/**
 * Values of the filters of lists, in the order in which pages show them. Routes check search parameters against them.
 */
export const ORDER_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export const REVIEW_STATES = ['review', 'unknown'] as const;
export const MERCHANT_STATUSES = ['active', 'suspended'] as const;
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export const DEPOSIT_STATUSES = ['pending', 'paid', 'expired', 'cancelled'] as const;
export const PAYMENT_LISTS = ['waiting', 'cases', 'all'] as const;
export const WEBHOOK_STATES = ['active', 'inactive', 'failing'] as const;
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export const DELIVERED_EVENTS = [
  'order.completed',
  'order.failed',
  'wallet.low_balance',
  'deposit.paid',
  'deposit.expired',
  'webhook.test',
] as const;
export const SUPPLIER_TABS = ['catalogue', 'offers', 'log'] as const;
export const PRICE_STEPS = ['0.25', '0.50', '1.00'] as const;
export const MARGIN_GROUPS = ['sku', 'supplier', 'merchant', 'day'] as const;
export const LOG_SOURCES = ['console', 'cli'] as const;
