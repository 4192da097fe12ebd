import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Copy, CopyText } from '../../kit/copy';
import { SubmitError, useSubmit } from '../../kit/form';
import { CodeField } from '../../kit/secret-fields';
import { toast } from '../../kit/toasts';
import { sessionQuery, useSession } from '../../session';
import { Qr } from './qr';
import classes from './me.module.css';

interface Enrolment {
  secret: string;
  uri: string;
}

/** Sets up the code from an authenticator app, or removes it. */
export function SecondFactor(): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const session = useSession();
  const hasOne = session?.second_factor ?? false;
  const isRequired = session?.state === 'second_factor_required';
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useSubmit(async () => {
    setEnrolment(await ask(() => client.POST('/api/me/second-factor')));
  });
  if (codes !== null) return <RecoveryCodes codes={codes} onKept={() => setCodes(null)} />;
  if (enrolment !== null) {
    return (
      <Enrol
        enrolment={enrolment}
        onCodes={(issued) => {
          setEnrolment(null);
          setCodes(issued);
          void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
        }}
      />
    );
  }
  if (hasOne) return <Remove />;
  return (
    <form onSubmit={begin.submit}>
      <p className={classes.text}>{t(isRequired ? 'factor.required' : 'factor.none')}</p>
      <SubmitError error={begin.error} />
      <Button type="submit" size="sm" loading={begin.isBusy}>
        {t('factor.setUp')}
      </Button>
    </form>
  );
}

function Enrol({
  enrolment: { secret, uri },
  onCodes,
}: {
  enrolment: Enrolment;
  onCodes: (codes: readonly string[]) => void;
}): ReactNode {
  const t = useT();
  const [code, setCode] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    const { recovery_codes } = await ask(() => client.PUT('/api/me/second-factor', { body: { code: code.trim() } }));
    onCodes(recovery_codes);
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <p>{t('factor.scan')}</p>
      <Qr text={uri} label={t('factor.qr')} />
      <p className={classes.secret}>
        <code className="mono">{secret}</code>
        <Copy value={secret} what={t('factor.secret')} />
      </p>
      <CodeField value={code} onChange={setCode} />
      <SubmitError error={error} />
      <Button type="submit" size="sm" loading={isBusy} className={classes.submit}>
        {t('factor.confirm')}
      </Button>
    </form>
  );
}

function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }): ReactNode {
  const t = useT();
  return (
    <div className={classes.form}>
      <p role="status">{t('factor.codes')}</p>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <CopyText value={() => codes.join('\n')}>{t('factor.copyCodes')}</CopyText>
      </div>
      <Button size="sm" onClick={onKept} className={classes.submit}>
        {t('factor.kept')}
      </Button>
    </div>
  );
}

function Remove(): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <p className={classes.text}>{t('factor.isOn')}</p>
      <Button size="sm" variant="default" onClick={() => setConfirming(true)}>
        {t('factor.remove')}
      </Button>
      {isConfirming && (
        <Confirm
          title={t('factor.remove')}
          verb={t('factor.removeVerb')}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await ask(() => client.DELETE('/api/me/second-factor'));
            toast(t('factor.removed'));
            await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
          }}
        >
          <p>{t('factor.removeConsequence')}</p>
        </Confirm>
      )}
    </>
  );
}
