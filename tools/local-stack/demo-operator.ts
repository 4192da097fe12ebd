import type { INestApplicationContext } from '@nestjs/common';
import { OperatorsService } from '../../src/operators/operators.service.js';

/** Who may do everything in the console of a local stack. */
export interface DemoOperator {
  email: string;
  /** Sets the password, once; null when that was done. */
  link: string | null;
}

const demo = { email: 'admin@localhost', name: 'Demo Administrator', role: 'admin' } as const;
const by = { operator: 'npm start' };

/** @returns null where the operators are other people's. */
export async function demoOperator(context: INestApplicationContext): Promise<DemoOperator | null> {
  const operators = context.get(OperatorsService);
  const all = await operators.list();
  const found = all.find(({ email }) => email === demo.email);
  if (!found) return all.length > 0 ? null : { email: demo.email, link: (await operators.create(demo, by)).link };
  const { email, active, password_hash: password } = found;
  if (!active) return null;
  // A link that was printed before works no more: nobody has used it.
  return { email, link: password === null ? (await operators.reset(email, by)).link : null };
}
