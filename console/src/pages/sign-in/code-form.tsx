import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import { CodeField } from '../../kit/secret-fields';
import type { Session } from '../../session';
import classes from './frame.module.css';

interface CodeFormProps {
  onSession: (session: Session) => Promise<void>;
  onBack: () => void;
}

/** Asks for the code of the second factor, after the first step of any sign-in. */
export function CodeForm({ onSession, onBack }: CodeFormProps): ReactNode {
  const t = useT();
  const [code, setCode] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await onSession(await ask(() => client.POST('/api/session/code', { body: { code: code.trim() } })));
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <CodeField
        description={t('login.codeHint')}
        // The operator has just finished the step before, so the focus may move here.
        ref={(input) => input?.focus()}
        value={code}
        onChange={setCode}
      />
      <SubmitError error={error} hasSecret />
      <Button type="submit" loading={isBusy} fullWidth>
        {t('login.submit')}
      </Button>
      <Button variant="subtle" onClick={onBack} fullWidth>
        {t('login.back')}
      </Button>
    </form>
  );
}
