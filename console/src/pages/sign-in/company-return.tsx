import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError } from '../../kit/form';
import { LinkButton } from '../../kit/link-button';
import { Loading } from '../../kit/states';
import { localPath } from '../../search-params';
import { enter, type Session } from '../../session';
import { CodeForm } from './code-form';
import { Frame } from './frame';
import classes from './frame.module.css';

/** Why an account of the company may not sign in here. */
const NO_ACCESS = ['NO_ROLE', 'ACCOUNT_DISABLED', 'EMAIL_NOT_VERIFIED', 'ACCOUNT_NOT_LINKED', 'LAST_ADMINISTRATOR'];

/** The page to which the company's sign-in redirects, with its answer in the address. */
export function CompanyReturn(): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const answer = useRouterState({ select: ({ location }) => location.searchStr.replace(/^\?/, '') });
  const isSent = useRef(false);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const proceed = async (session: Session, to: string): Promise<void> => {
    if (session.state === 'code_required') {
      setNext(to);
      return;
    }
    await enter(queries, session);
    await navigate({ href: localPath(to), replace: true });
  };
  useEffect(() => {
    // The API accepts an answer only once.
    if (isSent.current) return;
    isSent.current = true;
    ask(() => client.POST('/api/session/company/answer', { body: { answer: answer || '-' } }))
      .then((session) => proceed(session, session.next))
      .catch((caught: unknown) => setError(caught instanceof Error ? caught : new Error(String(caught))));
  });
  if (error !== null) return <Refused error={error} />;
  if (next !== null) {
    return (
      <Frame title={t('login.codeTitle')}>
        <CodeForm
          onSession={(session) => proceed(session, next)}
          onBack={() => void navigate({ to: '/login', search: {}, replace: true })}
        />
      </Frame>
    );
  }
  return (
    <Frame title={t('login.title')}>
      <Loading rows={2} />
    </Frame>
  );
}

function Refused({ error }: { error: Error }): ReactNode {
  const t = useT();
  const [detail] = isProblem(error) ? error.details : [];
  const hasNoAccess = detail !== undefined && NO_ACCESS.includes(detail.code);
  return (
    <Frame title={t(hasNoAccess ? 'company.noAccess' : 'company.failed')}>
      <div className={classes.form}>
        <SubmitError error={error} />
        {detail?.code === 'COMPANY_REFUSED' && <p className="muted">{error.message}</p>}
        {isProblem(error) && error.requestId && (
          <p className="muted">
            {t('state.requestId')} <code className="mono">{error.requestId}</code>
          </p>
        )}
        <LinkButton to="/login" search={{}} fullWidth>
          {t('company.back')}
        </LinkButton>
      </div>
    </Frame>
  );
}
