import type { Actor } from '../audit-log/audit-log.js';
import { pick } from '../core/members.js';
import type { Operator } from '../operators/operator.entity.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { OperatorsService, type Invited, type NewOperator } from '../operators/operators.service.js';
import { ROLES, type Role } from '../operators/roles.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { oneOf } from './options.js';
import { list, record, type Result } from './output.js';

const ROLE_HELP = `role: ${ROLES.join(', ')}`;

export const operatorCommands: CommandGroup = {
  features: { imports: [OperatorsModule] },
  define(operator) {
    operator
      .command('create')
      .description('Add an operator of the console, and print a link to set the password, valid once and for a day.')
      .requiredOption('--email <address>', 'e-mail address, to sign in with')
      .requiredOption('--name <name>', 'name, 1 to 128 characters')
      .requiredOption('--role <role>', ROLE_HELP, oneOf(ROLES))
      .audited()
      .examples('operator create --email nok@example.com --name Nok --role support')
      .does(async (app, { email, name, role, ...by }: NewOperator & Actor) =>
        invitation(await app.get(OperatorsService).create({ email, name, role }, by)),
      );

    operator
      .command('list')
      .description('List the operators of the console.')
      .examples('operator list', 'operator list --json')
      .does(async (app) => {
        const operators = await app.get(OperatorsService).list();
        return list(operators.map(toJson), 'There are no operators: topup operator create adds one.');
      });

    defineSetRole(operator);
    defineAccessCommands(operator);
  },
};

function defineSetRole(operator: OperatorCommand): void {
  operator
    .command('set-role')
    .description('Change an operator’s role. It applies from their next request on.')
    .argument('<email>', 'e-mail address of the operator')
    .requiredOption('--role <role>', ROLE_HELP, oneOf(ROLES))
    .audited()
    .examples('operator set-role nok@example.com --role finance')
    .does(async (app, email: string, { role, ...by }: { role: Role } & Actor) =>
      record(toJson(await app.get(OperatorsService).setRole(email, role, by))),
    );
}

/** Commands that block and restore access. */
function defineAccessCommands(operator: OperatorCommand): void {
  operator
    .command('disable')
    .description('End all sessions of an operator and block the account. topup operator reset restores access.')
    .argument('<email>', 'e-mail address of the operator')
    .audited()
    .examples('operator disable nok@example.com --reason "left the company"')
    .does(async (app, email: string, by: Actor) => record(toJson(await app.get(OperatorsService).disable(email, by))));

  operator
    .command('reset')
    .description(
      'Restore an operator’s access: remove password, second factor and company link, end all sessions, unlock and enable the account, ' +
        'and print a new link to set the password.',
    )
    .argument('<email>', 'e-mail address of the operator')
    .audited()
    .examples('operator reset nok@example.com --reason "lost their phone"')
    .does(async (app, email: string, by: Actor) => invitation(await app.get(OperatorsService).reset(email, by)));
}

const invitation = ({ operator, link, until }: Invited): Result =>
  record(
    { ...toJson(operator), set_up_link: link, set_up_until: until },
    `${operator.email} sets a password with set_up_link. The link works once and can't be shown again.`,
  );

const toJson = (operator: Operator): Record<string, unknown> => ({
  ...pick(operator, 'id', 'email', 'name', 'role'),
  status: operator.active ? 'active' : 'disabled',
  second_factor: operator.totp_sealed !== null,
  locked_until: lockedUntil(operator),
  ...pick(operator, 'last_sign_in_at', 'created_at'),
});

/** Null also for a lock that has ended. */
const lockedUntil = ({ locked_until: until }: Operator): Date | null => (until && until > new Date() ? until : null);
