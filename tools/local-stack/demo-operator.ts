import type { INestApplicationContext } from '@nestjs/common';
import { OperatorsService } from '../../src/operators/operators.service.js';

/** The administrator of a local stack's console. */
export interface DemoOperator {
  email: string;
  /** The link sets the password, once; null when that was done. */
  link: string | null;
}

const demo = { email: 'admin@localhost', name: 'Demo Administrator', role: 'admin' } as const;
const by = { operator: 'npm start' };

/** @returns null where the operators were not created here. */
export async function demoOperator(context: INestApplicationContext): Promise<DemoOperator | null> {
  const operators = context.get(OperatorsService);
  const all = await operators.list();
  const found = all.find(({ email }) => email === demo.email);
  if (!found) return all.length > 0 ? null : { email: demo.email, link: (await operators.create(demo, by)).link };
  const { email, active, password_hash: password } = found;
  if (!active) return null;
  // Nobody has used the link of an earlier start. The new one replaces it.
  return { email, link: password === null ? (await operators.reset(email, by)).link : null };
}
