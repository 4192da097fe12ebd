import { NativeSelect, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { LANGUAGES, setLanguage, setZone, useWords, type Language } from '../../i18n/words';
import { hasShortcuts, setShortcuts } from '../../kit/shortcuts';
import { useStore } from '../../kit/store';
import { toastFailure } from '../../kit/toasts';
import { sessionQuery } from '../../session';
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

/** The account stores language and zone, the browser stores colours and single keys. */
export function Display(): ReactNode {
  const { t, language, zone } = useWords();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const isOn = useStore(hasShortcuts);
  const keep = async (choice: Choice, before: Choice): Promise<void> => {
    try {
      await show(queries, choice);
      await ask(() => client.PATCH('/api/me', { body: choice }));
    } catch (error) {
      await show(queries, before);
      toastFailure(t('me.notStored', { why: error instanceof Error ? error.message : String(error) }));
    }
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <div className={classes.form}>
      <Choice label={t('me.language')}>
        <SegmentedControl
          size="xs"
          aria-label={t('me.language')}
          value={language}
          onChange={(value) => void keep({ language: value as Language }, { language })}
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
        onChange={(event) => void keep({ timezone: event.currentTarget.value }, { timezone: zone })}
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
