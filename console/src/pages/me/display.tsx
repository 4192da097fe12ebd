import { NativeSelect, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { LANGUAGES, setLanguage, setZone, translateNow, useWords, type Language } from '../../i18n/words';
import { hasShortcuts, setShortcuts } from '../../kit/shortcuts';
import { useStore } from '../../kit/store';
import { toastFailure } from '../../kit/toasts';
import { follow, sessionQuery } from '../../session';
import classes from './me.module.css';

const COLOURS = ['light', 'dark', 'auto'] as const;

interface Choice {
  language?: Language;
  timezone?: string;
}

/** Shows a choice. The cached session gets it first, because each page that opens applies the language and zone of that session. */
async function show(queries: QueryClient, choice: Choice): Promise<void> {
  // An answer on its way has the earlier choice.
  await queries.cancelQueries({ queryKey: sessionQuery.queryKey });
  queries.setQueryData(sessionQuery.queryKey, (session) =>
    session?.operator ? { ...session, operator: { ...session.operator, ...choice } } : session,
  );
  if (choice.timezone !== undefined) setZone(choice.timezone);
  if (choice.language !== undefined) await setLanguage(choice.language);
}

const STORING = ['me', 'choice'];

interface Kept {
  choice: Choice;
  /** What the account has if it can't store the choice. */
  before: Choice;
}

/** Shows each choice at once, and stores them one after the other. */
function useKeep(): (kept: Kept) => void {
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: STORING,
    scope: { id: 'me' },
    networkMode: 'always',
    mutationFn: ({ choice }: Kept) => ask(() => client.PATCH('/api/me', { body: choice })),
    onMutate: ({ choice }) => show(queries, choice),
    onError: async (error, { before }) => {
      await show(queries, before);
      toastFailure(translateNow('me.notStored', { why: error.message }));
    },
    onSettled: async () => {
      // The account does not have the next choice yet, and would replace it here by the earlier one.
      if (queries.isMutating({ mutationKey: STORING }) > 1) return;
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      const session = queries.getQueryData(sessionQuery.queryKey);
      if (session) await follow(session);
    },
  });
  return mutate;
}

/** The account stores language and zone, the browser stores colours and single keys. */
export function Display(): ReactNode {
  const { t, language, zone } = useWords();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isOn = useStore(hasShortcuts);
  const keep = useKeep();
  return (
    <div className={classes.form}>
      <Choice label={t('me.language')}>
        <SegmentedControl
          size="xs"
          aria-label={t('me.language')}
          value={language}
          onChange={(value) => keep({ choice: { language: value as Language }, before: { language } })}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        />
      </Choice>
      <Choice label={t('me.colour')}>
        <SegmentedControl
          size="xs"
          aria-label={t('me.colour')}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
          data={COLOURS.map((value) => ({ value, label: t(`me.colour.${value}`) }))}
        />
      </Choice>
      <NativeSelect
        label={t('me.zone')}
        value={zone}
        data={zonesWith(zone)}
        onChange={(event) => keep({ choice: { timezone: event.currentTarget.value }, before: { timezone: zone } })}
      />
      <Switch
        label={t('shortcuts.on')}
        checked={isOn}
        onChange={(event) => setShortcuts(event.currentTarget.checked)}
      />
    </div>
  );
}

function Choice({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className={classes.field}>
      <span className={classes.fieldLabel}>{label}</span>
      {children}
    </div>
  );
}

/** The zones that the browser knows, and the operator's zone, which may have another name. */
function zonesWith(zone: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes(zone) ? known : [zone, ...known];
}
