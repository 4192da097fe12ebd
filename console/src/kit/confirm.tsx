import { Button, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isProblem } from '../api';
import { useT, type Translate } from '../i18n/words';
import { useIsLocked, useIsMounted } from './in-flight';
import { ActionModal } from './modal';
import classes from './confirm.module.css';

const MAX_REASON = 500;

interface ConfirmProps {
  title: string;
  /** A sentence that says what will happen, with the current numbers, and any further fields. */
  children: ReactNode;
  /** The label of the button that acts. */
  verb: string;
  /** Whether the button may look normal instead of red. */
  isHarmless?: boolean;
  requiresReason?: boolean;
  /** A text that the operator must type before the button works. */
  typed?: string;
  /** Whether the fields in `children` are complete. */
  isReady?: boolean;
  /** Whether the API does the same request only once, such as by an idempotency key. */
  isRepeatable?: boolean;
  onConfirm: (reason: string) => Promise<void>;
  onClose: () => void;
  size?: string;
}

/**
 * Asks for consent before an action that has consequences. The focus starts at "Cancel", or at the field that
 * `children` mark for it. The dialog shows an error of the API, for example that numbers have changed.
 */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, children, verb, isHarmless, requiresReason, typed, isReady = true, onConfirm, onClose } = props;
  const t = useT();
  const [reason, setReason] = useState('');
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  /** Whether the operator has changed a field since the last press. Then the next press may be another request. */
  const [isChanged, setChanged] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const isLocked = useIsLocked(isBusy);
  const isMounted = useIsMounted();
  const canConfirm =
    isReady && (!requiresReason || reason.trim() !== '') && (typed === undefined || text.trim() === typed);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    setChanged(false);
    try {
      await onConfirm(reason.trim());
      if (isMounted.current) onClose();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <ActionModal isLocked={isLocked} onClose={onClose} title={title} size={props.size}>
      <form
        className={classes.body}
        onChange={() => setChanged(true)}
        onSubmit={(event) => {
          event.preventDefault();
          if (canConfirm && !isBusy) void confirm();
        }}
      >
        {children}
        {requiresReason && <Reason value={reason} onChange={setReason} />}
        {typed !== undefined && <Typed wanted={typed} value={text} onChange={setText} />}
        {error !== null && (
          <p className={classes.error} role="alert">
            {messageOf(error, props.isRepeatable === true && canConfirm && !isChanged, t)}
          </p>
        )}
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose} disabled={isLocked} data-autofocus>
            {t('action.cancel')}
          </Button>
          <Button type="submit" color={isHarmless ? undefined : 'red'} loading={isBusy} disabled={!canConfirm}>
            {verb}
          </Button>
        </div>
      </form>
    </ActionModal>
  );
}

/** Without an answer, the operator must know whether to press again. @param canRepeat whether that is safe. */
function messageOf(error: unknown, canRepeat: boolean, t: Translate): string {
  if (isProblem(error, 0)) return t(canRepeat ? 'confirm.unansweredSafe' : 'confirm.unanswered');
  return error instanceof Error ? error.message : String(error);
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

function Reason({ value, onChange }: FieldProps): ReactNode {
  const t = useT();
  return (
    <Textarea
      label={t('confirm.reason')}
      description={t('confirm.reasonHint')}
      required
      rows={2}
      maxLength={MAX_REASON}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Typed({ wanted, value, onChange }: FieldProps & { wanted: string }): ReactNode {
  const t = useT();
  return (
    <TextInput
      label={t('confirm.type', { text: wanted })}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
