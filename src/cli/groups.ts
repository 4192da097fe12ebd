import type { CommandGroup } from './command-group.js';

interface Group {
  summary: string;
  load: () => Promise<CommandGroup>;
}

/** A group is loaded only when needed: most of a command's time goes into loading code. */
export const GROUPS: Record<string, Group> = {
  merchant: {
    summary: 'Add, list, suspend and resume merchants, and set their alerts and weights',
    load: async () => (await import('./merchant.commands.js')).merchantCommands,
  },
  'api-key': {
    summary: 'Issue, list, revoke and rotate API keys',
    load: async () => (await import('./api-key.commands.js')).apiKeyCommands,
  },
  wallet: {
    summary: 'Credit and debit merchants’ wallets; show balances and statements',
    load: async () => (await import('./wallet.commands.js')).walletCommands,
  },
  channel: {
    summary: 'Add, change, test, list and remove the channels to which merchants pay',
    load: async () => (await import('./channel.commands.js')).channelCommands,
  },
  deposit: {
    summary: 'Make, list and show deposits',
    load: async () => (await import('./deposit.commands.js')).depositCommands,
  },
  statement: {
    summary: 'Import bank statements and list them',
    load: async () => (await import('./bank-statement.commands.js')).bankStatementCommands,
  },
  payment: {
    summary: 'List incoming payments, and decide about waiting payments and cases',
    load: async () => (await import('./payment.commands.js')).paymentCommands,
  },
  supplier: {
    summary: 'Add, change, test, pause, list and remove suppliers; read balances and catalogues',
    load: async () => (await import('./supplier.commands.js')).supplierCommands,
  },
  product: {
    summary: 'Add, change, import, export and list products',
    load: async () => (await import('./product.commands.js')).productCommands,
  },
  offer: {
    summary: 'Add, change, list and remove suppliers’ offers of products',
    load: async () => (await import('./offer.commands.js')).offerCommands,
  },
  fx: {
    summary: 'Set and list exchange rates',
    load: async () => (await import('./fx.commands.js')).fxCommands,
  },
  price: {
    summary: 'Set, import and list merchants’ own prices; change many prices at once',
    load: async () => (await import('./price.commands.js')).priceCommands,
  },
  order: {
    summary: 'Show, list, cancel and resolve orders',
    load: async () => (await import('./order.commands.js')).orderCommands,
  },
  reversal: {
    summary: 'List and close discrepancies between suppliers’ reports and our books',
    load: async () => (await import('./reversal.commands.js')).reversalCommands,
  },
  webhook: {
    summary: 'List and replay deliveries to a merchant’s webhooks',
    load: async () => (await import('./webhook.commands.js')).webhookCommands,
  },
  operator: {
    summary: 'Add, list, disable and reset operators of the console; change their roles',
    load: async () => (await import('./operator.commands.js')).operatorCommands,
  },
  secrets: {
    summary: 'Re-encrypt stored secrets with a new SECRETS_KEY',
    load: async () => (await import('./secrets.commands.js')).secretsCommands,
  },
  audit: {
    summary: 'Check that the books are consistent',
    load: async () => (await import('./audit.commands.js')).auditCommands,
  },
  month: {
    summary: 'Close months of the books; list and show closed ones; archive and restore their orders',
    load: async () => (await import('./month.commands.js')).monthCommands,
  },
  report: {
    summary: 'Print daily, margin and deposit reports and monthly statements; compare units with suppliers’ records',
    load: async () => (await import('./report.commands.js')).reportCommands,
  },
  log: {
    summary: 'Show what operators did, when and why',
    load: async () => (await import('./log.commands.js')).logCommands,
  },
  completion: {
    summary: 'Print a shell completion script',
    load: async () => (await import('./completion.commands.js')).completionCommands,
  },
};
