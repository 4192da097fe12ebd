import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { ask, client, isProblem } from './api';
import { setLanguage, setZone } from './i18n/words';
import { clearToasts } from './kit/toast-store';
import type { components } from './schema';

export type Session = components['schemas']['SessionDto'];
export type Permission = Session['permissions'][number];

/** The session. Null when nobody is signed in, or while the code of the second factor is missing. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await ask(() => client.GET('/api/session', { signal }));
      return session.state === 'code_required' ? null : session;
    } catch (error) {
      if (isProblem(error, 401)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Stores the session, and applies the operator's language and zone. */
export async function enter(queries: QueryClient, session: Session): Promise<void> {
  // After the end of a session, the next operator may be another one, and may see less.
  queries.clear();
  clearToasts();
  queries.setQueryData(sessionQuery.queryKey, session);
  await follow(session);
}

/** Applies the operator's language and zone. Stays with the current language if the other one can't be loaded now. */
export async function follow({ operator }: Session): Promise<void> {
  if (operator === null) return;
  setZone(operator.timezone);
  if (operator.language !== 'en' && operator.language !== 'th') return;
  await setLanguage(operator.language).catch(() => undefined);
}

export function useSession(): Session | null | undefined {
  return useQuery(sessionQuery).data;
}

/** Whether the role has the permission. This only hides controls, because the API checks permissions itself. */
export function useMay(permission: Permission): boolean {
  return useSession()?.permissions.includes(permission) ?? false;
}
