import type { Actor } from '../audit-log/audit-log.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import type { OperatorCommand } from './command-group.js';
import { streams } from './streams.js';
import { supplierRecord } from './supplier.view.js';

const PAUSE_HELP = `
The service sends no more purchases to the supplier. It still queries units that may have been bought, unless the query could buy
them. Units that the supplier never accepted are bought at another supplier, or wait and fail after ROUTING_HOLD_LIMIT_MS.
`;

const RESUME_HELP = `
Ends any pause: by an operator, or because the supplier refused our credentials, reported too low a balance, or banned us. If the
supplier does so again, the service pauses it again.
`;

interface Definition {
  name: 'pause' | 'resume';
  description: string;
  help: string;
  reason: string;
  run: (service: SuppliersService, code: string, by: Actor) => Promise<Supplier>;
}

/** These commands take a supplier's code, and print the supplier as `supplier show` does. */
const COMMANDS: Definition[] = [
  {
    name: 'pause',
    description: 'Send no purchases to a supplier until it is resumed.',
    help: PAUSE_HELP,
    reason: 'maintenance until 14:00',
    run: (service, code, by) => service.pause(code, by),
  },
  {
    name: 'resume',
    description: 'End a supplier’s pause.',
    help: RESUME_HELP,
    reason: 'deposit topped up',
    run: (service, code, by) => service.resume(code, by),
  },
];

export function definePauses(supplier: OperatorCommand): void {
  for (const { name, description, help, reason, run } of COMMANDS) {
    supplier
      .command(name)
      .description(description)
      .argument('<code>', 'supplier code')
      .audited()
      .notes(help)
      .examples(`supplier ${name} acme --reason "${reason}"`)
      .does(async (app, code: string, by: Actor) =>
        supplierRecord(app, await run(app.get(SuppliersService), code, by)),
      );
  }
}

/** Warns before the calls, because each call prolongs a ban: an operator should not repeat them. */
export function warnOfBans(suppliers: Supplier[]): void {
  for (const { code, pause_reason: reason } of suppliers)
    if (reason === 'ban')
      streams().stderr.write(
        `${code} bans us, and this call prolongs the ban if it still lasts. Workers check it by themselves\n`,
      );
}
