import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Copy } from '../../kit/copy';
import { Facts } from '../../kit/page';
import type { components } from '../../schema';
import { Modal } from '../../kit/modal';

type Revealed = components['schemas']['RevealedDto'];

interface UnitProps {
  number: string;
  unit: string;
  /**
   * The discrepancy with which the supplier handed over the code. Without it, the code is the one that the merchant
   * received.
   */
  caseId?: number;
}

export function RevealCode(props: UnitProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RevealButton onClick={() => setOpen(true)} />
      {isOpen && <Reveal {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

export function RevealButton({ onClick }: { onClick: () => void }): ReactNode {
  const t = useT();
  return (
    <Button size="compact-xs" variant="default" onClick={onClick}>
      {t('code.open')}
    </Button>
  );
}

/**
 * Requires a reason, then shows the code of a unit until the operator closes the dialog. The browser does not store it.
 */
export function Reveal({ onClose, ...unit }: UnitProps & { onClose: () => void }): ReactNode {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const isRevealed = useRef(false);
  if (revealed !== null) return <Shown revealed={revealed} onClose={onClose} />;
  const show = (code: Revealed): void => {
    isRevealed.current = true;
    setRevealed(code);
  };
  // `Ask` closes after the code is shown, too.
  return <Ask {...unit} onRevealed={show} onClose={() => isRevealed.current || onClose()} />;
}

interface AskProps extends UnitProps {
  onRevealed: (revealed: Revealed) => void;
  onClose: () => void;
}

function Ask({ number, unit, caseId, onRevealed, onClose }: AskProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const reveal = async (reason: string): Promise<void> => {
    const body = { reason };
    onRevealed(
      await ask(() =>
        caseId === undefined
          ? client.POST('/api/orders/{number}/units/{unit}/code', {
              params: { path: { number, unit } },
              body,
            })
          : client.POST('/api/reversals/{id}/code', { params: { path: { id: caseId } }, body }),
      ),
    );
    await queries.invalidateQueries({ queryKey: ['order', number] });
  };
  return (
    <Confirm
      title={t('code.title', { unit, number })}
      verb={t('code.verb')}
      requiresReason
      onConfirm={reveal}
      onClose={onClose}
    >
      <p>{t('code.consequence')}</p>
    </Confirm>
  );
}

function Shown({ revealed: { unit, pieces }, onClose }: { revealed: Revealed; onClose: () => void }): ReactNode {
  const t = useT();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('code.shown', { unit })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {pieces.map(({ code, serial, expires_on }, index) => (
        <Facts
          key={index}
          facts={[
            code === null ? null : [t('item.code'), <Secret key="code" value={code} what={t('item.code')} />],
            serial === null ? null : [t('code.serial'), <Secret key="serial" value={serial} what={t('code.serial')} />],
            expires_on === null ? null : [t('code.expires'), expires_on],
          ]}
        />
      ))}
      <Button size="xs" variant="default" onClick={onClose}>
        {t('action.close')}
      </Button>
    </Modal>
  );
}

function Secret({ value, what }: { value: string; what: string }): ReactNode {
  return (
    <>
      <code className="mono">{value}</code> <Copy value={value} what={what} />
    </>
  );
}
