/** The empty page: where the host looks for logs, and how to write one. */
import { useSignal } from '@preact/signals';
import { usePage } from '../state/page';
import { UnreadFiles } from './unread_files';
import styles from './late.css?inline';
import { addStyles } from './parts';
import { lateTexts } from '../i18n/texts';
import { empty_logdir as en } from '../locales/en.json';
import { empty_logdir as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

addStyles(styles);

/** The directory goes into Python string literals: JSON's escapes mean the same there. */
function snippets(directory: string): readonly { readonly name: string; readonly code: string }[] {
  const path = JSON.stringify(`${directory.replace(/[\\/]+$/, '')}/run1`);
  return [
    {
      name: 'PyTorch',
      code:
        `from torch.utils.tensorboard import SummaryWriter\nwriter = SummaryWriter(${path})\n` +
        `writer.add_scalar("loss", loss, step)`,
    },
    { name: 'Keras', code: `model.fit(x, y, callbacks=[keras.callbacks.TensorBoard(log_dir=${path})])` },
    {
      name: 'MindSpore',
      code:
        `collector = mindspore.SummaryCollector(summary_dir=${path})\n` +
        `model.train(epochs, dataset, callbacks=[collector])`,
    },
  ];
}

/** The first directory of a location such as `a:/logs,b:/more`; a placeholder if no directory is known. */
export function firstDirectory(location: string): string {
  const first = location.split(/[,\n]/)[0]?.trim() ?? '';
  const named = /^[^/\\:]{2,}:(?=[/\\.~]|[A-Za-z]:)(.*)$/.exec(first);
  return named?.[1] || first || 'logs';
}

export function EmptyLogdir() {
  const page = usePage();
  const location = page.session.environment.value?.data_location ?? '';
  const chosen = useSignal(0);
  const copied = useSignal(false);
  const all = snippets(firstDirectory(location));
  const snippet = all[chosen.value];
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(snippet?.code ?? '');
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 1500);
  };
  if (page.session.loading.value) return <p class="ih-late ih-muted ih-panel-wait">{words(page, 'empty.looking')}</p>;
  return (
    <section class="ih-empty">
      <svg class="ih-empty-art" viewBox="0 0 160 72" aria-hidden="true">
        <path class="ih-empty-axis" d="M8 4v60h148" />
        <path class="ih-empty-line" d="M14 12c14 34 34 40 62 43s52 3 76 4" />
        <path class="ih-empty-line ih-faint" d="M14 24c20 22 40 28 66 29s48 0 72-2" />
      </svg>
      <h2>{words(page, 'empty.title')}</h2>
      <p class="ih-muted">{words(page, 'empty.where')}</p>
      <p class="ih-mono ih-location">{location}</p>
      <p class="ih-muted">{words(page, page.session.follows.value ? 'empty.auto' : 'empty.once')}</p>
      <div class="ih-card ih-snippets">
        <div class="ih-row">
          <span class="ih-muted">{words(page, 'empty.write')}</span>
          <span class="ih-spring" />
          <div class="ih-segmented" role="group" aria-label={words(page, 'empty.write')}>
            {all.map(({ name }, at) => (
              <button
                key={name}
                type="button"
                aria-pressed={at === chosen.value}
                onClick={() => void (chosen.value = at)}
              >
                {name}
              </button>
            ))}
          </div>
          {navigator.clipboard && (
            <button type="button" class="ih-button ih-small" onClick={() => void copy()}>
              {words(page, copied.value ? 'empty.copied' : 'empty.copy')}
            </button>
          )}
        </div>
        <pre class="ih-code">{snippet?.code}</pre>
      </div>
      <UnreadFiles />
    </section>
  );
}
