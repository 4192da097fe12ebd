import {
  hasPermission,
  needsSecondFactor,
  PERMISSIONS,
  readsOwnActionsOnly,
  ROLES,
  type Permission,
  type Role,
} from '../../src/operators/roles.js';

/** What each permission allows, for the table in the console's documentation. */
const MEANINGS: Readonly<Record<Permission, string>> = {
  'orders.read': 'see home, orders and the review queue, and search',
  'webhooks.read': 'see webhooks and their deliveries',
  'merchants.read': 'see merchants, and which keys they have',
  'products.read': 'see products, offers, prices and exchange rates',
  'suppliers.read': 'see suppliers and discrepancies',
  'figures.read': 'see figures and charts',
  'players.read': 'see players in full, else the last 3 characters',
  'orders.resolve': 'make an inquiry about a unit, decide about one in doubt or in review, claim it meanwhile',
  'orders.cancel': 'cancel what was certainly not bought',
  'codes.reveal':
    'see what a buyer was handed, such as a code, or what came with a discrepancy: one unit at a time, with a reason',
  'reversals.close': 'close discrepancies, with or without a credit to the merchant',
  'orders.note': 'write notes on orders',
  'webhooks.replay': 'attempt deliveries once more, one or all that match',
  'webhooks.test': 'send test events to webhooks',
  'merchants.suspend': 'suspend and resume merchants',
  'keys.revoke': 'revoke keys',
  'merchants.create': 'add merchants',
  'merchants.edit': 'change merchants; nothing needs it as yet',
  'keys.issue': 'issue keys',
  'keys.rotate': 'rotate keys',
  'wallets.read': 'see wallets, and movements that wait for approval',
  'statements.read': 'see statements, and download them',
  'wallets.move': 'deposit and withdraw; approve or reject what others requested',
  'alerts.set': 'set the alert of a low balance',
  'prices.set': 'set and import merchants’ own prices',
  'products.set': 'add and change products',
  'products.import': 'import products, change prices by a percentage',
  'offers.set': 'add, change and switch off offers, map what suppliers sell',
  'suppliers.sync': 'read a supplier’s catalogue anew',
  'fx.set': 'set exchange rates',
  'suppliers.pause': 'pause, resume and test suppliers',
  'suppliers.set': 'add, set and remove suppliers',
  'costs.read': 'see costs and margins',
  'reports.read': 'see reports',
  'reports.run': 'run reports',
  'audit.run': 'see and run the audit',
  'exports.run': 'download lists as CSV, of what the role may see',
  'log.read': 'see the log',
  'deposits.read': 'see deposits, incoming payments, channels and imported bank statements',
  'payments.decide': 'decide about payments that wait, and about cases',
  'statements.import': 'import bank statements, unless `DEPOSIT_CONSOLE_IMPORT` is false',
  'channels.set': 'add, set, test, pause and remove channels of deposits',
  'operators.manage': 'invite operators, give roles, disable, reset and unlock them',
  'sessions.manage': 'see and end the sessions of others',
};

/** A row for each permission with the roles that have it, and a row for the roles that need a second factor. */
export function permissionRows(): { head: string[]; rows: string[][] } {
  const mark = (may: boolean): string => (may ? '✓' : '');
  const cell = (permission: Permission, role: Role): string =>
    permission === 'log.read' && readsOwnActionsOnly(role) ? 'own actions' : mark(hasPermission(role, permission));
  const rows = PERMISSIONS.map((permission) => [
    `\`${permission}\``,
    MEANINGS[permission],
    ...ROLES.map((role) => cell(permission, role)),
  ]);
  const secondFactor = ROLES.map((role) => mark(needsSecondFactor(role, 'money')));
  return {
    head: ['permission', 'lets them', ...ROLES],
    rows: [...rows, ['', 'works with a second factor only, under `CONSOLE_REQUIRE_2FA=money`', ...secondFactor]],
  };
}
