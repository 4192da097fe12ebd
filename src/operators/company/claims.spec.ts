import { describe, expect, it } from '@jest/globals';
import { personOf } from './claims.js';

const roles = [
  { value: 'leads', role: 'finance' },
  { value: 'helpers', role: 'support' },
  { value: 'acme.example', role: 'viewer' },
] as const;
const roleOf = (roleClaim: string, claims: object): string | null =>
  personOf({ iss: 'https://acme.example', sub: '1', ...claims }, { roleClaim, roles, trustsEmail: false }).role;

describe('the role of a person', () => {
  it.each([
    ['one of several groups', 'groups', { groups: ['readers', 'helpers'] }, 'support'],
    ['the first of the map, whatever the order of the groups', 'groups', { groups: ['helpers', 'leads'] }, 'finance'],
    ['a text', 'hd', { hd: 'acme.example' }, 'viewer'],
    ['a path', 'realm_access.roles', { realm_access: { roles: ['leads'] } }, 'finance'],
    ['a name with dots', 'https://acme.example/roles', { 'https://acme.example/roles': ['leads'] }, 'finance'],
    ['no such claim', 'groups', { roles: ['leads'] }, null],
    ['part of a group', 'groups', { groups: ['leads-of-others'] }, null],
    ['a path through something else', 'groups.leads', { groups: ['leads'] }, null],
    ['what every object has', 'constructor.name', {}, null],
    ['an object', 'groups', { groups: { leads: true } }, null],
  ])('is found by %s', (_what, roleClaim, claims, role) => {
    expect(roleOf(roleClaim, claims)).toBe(role);
  });

  it('follows from an address only if that is verified', () => {
    const byAddress = [{ value: 'nok@acme.example', role: 'admin' }] as const;
    const of = (claims: object): string | null =>
      personOf({ ...claims }, { roleClaim: 'email', roles: byAddress, trustsEmail: false }).role;
    expect(of({ email: 'Nok@Acme.example', email_verified: true })).toBe('admin');
    expect(of({ email: 'nok@acme.example' })).toBeNull();
    expect(of({ email: 'nok@acme.example', email_verified: false })).toBeNull();
  });
});

describe('the name of a person', () => {
  it('is the claimed name, without characters that could forge a line of a log', () => {
    const nameOf = (claims: object): string =>
      personOf({ sub: '7', ...claims }, { roleClaim: 'groups', roles, trustsEmail: true }).name;
    expect(nameOf({ name: ' Mali\u0007 Suksai ' })).toBe('Mali  Suksai');
    expect(nameOf({ name: ' ', email: 'nok@acme.example' })).toBe('nok');
    expect(nameOf({ preferred_username: 'nok' })).toBe('nok');
    expect(nameOf({})).toBe('7');
  });
});
