/** "Move to trash" in the menus of runs. */
import { API, type Contributions, type PluginContext } from '@insight-host/api';
import { bytesText, Dialog, message, timeText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { render, type JSX } from 'preact';
import en from '../insight_trash/locales/en.json';
import zh from '../insight_trash/locales/zh-CN.json';
import { move, type Plan } from './moving';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  runActions: [{ id: 'move', text: 'action', run: confirm }],
} satisfies Contributions;

/** Asks the user, and moves the files of the run. */
async function confirm(run: string, ctx: PluginContext): Promise<void> {
  const plan = await ctx.data.json<Plan>('plan', { run }, { signal: ctx.signal });
  const host = document.body.appendChild(document.createElement('div'));
  host.dataset['plugin'] = ctx.name;
  const close = (): void => {
    ctx.signal.removeEventListener('abort', close);
    render(null, host);
    host.remove();
  };
  ctx.signal.addEventListener('abort', close);
  render(<Confirmation ctx={ctx} plan={plan} onClose={close} />, host);
}

interface ConfirmationProps {
  readonly ctx: PluginContext;
  readonly plan: Plan;
  readonly onClose: () => void;
}

function Confirmation({ ctx, plan, onClose }: ConfirmationProps): JSX.Element {
  const failure = useSignal('');
  const isMoving = useSignal(false);
  const locale = ctx.locale.value;
  const sizes = { size: bytesText(plan.bytes, locale), bytes: plan.bytes.toLocaleString(locale) };
  const own = plan.nested > 0 ? ctx.t('own', { count: plan.nested }) : ctx.t('own.logdir');
  const start = async (): Promise<void> => {
    isMoving.value = true;
    failure.value = '';
    try {
      await move(ctx, plan);
      ctx.notify('info', ctx.t('done', { run: plan.run, directory: plan.directory }));
      onClose();
    } catch (cause) {
      failure.value = message(cause);
      isMoving.value = false;
    }
  };
  const rows: readonly (readonly [string, string])[] = [
    ['run', plan.run],
    ['directory', plan.directory],
    ['files', plan.files.toLocaleString(locale)],
    ['size', ctx.t('size.bytes', sizes)],
    ['written', timeText(plan.written, locale)],
  ];
  return (
    <Dialog
      name="trash"
      title={ctx.t('title')}
      onClose={onClose}
      foot={
        <>
          <button type="button" data-action="cancel" onClick={onClose}>
            {ctx.t('cancel')}
          </button>
          <button
            type="button"
            class="primary"
            data-action="move"
            disabled={isMoving.value}
            onClick={() => void start()}
          >
            {ctx.t('move')}
          </button>
        </>
      }
    >
      <dl style={{ display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '4px 16px', margin: '0' }}>
        {rows.map(([name, value]) => (
          <>
            <dt class="ih-muted">{ctx.t(name)}</dt>
            <dd data-name={name} style={{ margin: '0', overflowWrap: 'anywhere' }}>
              {value}
            </dd>
          </>
        ))}
      </dl>
      <p style={{ maxWidth: '60ch' }}>{plan.whole ? ctx.t('whole') : own}</p>
      {failure.value && (
        <p role="alert" class="ih-error-message" style={{ maxWidth: '60ch', overflowWrap: 'anywhere' }}>
          {failure.value}
        </p>
      )}
    </Dialog>
  );
}
