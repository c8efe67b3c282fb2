/** Messages of the host about a plugin, placed below it so that nothing is covered or moves. */
import { Icon } from '@insight-host/kit';
import { type ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';
import type { Tab } from '../state/session';
import { SLOW } from '../plugin/mounted';
import styles from './late.css?inline';
import { addStyles, IconButton } from './parts';
import { lateTexts } from '../i18n/texts';
import { remarks as en } from '../locales/en.json';
import { remarks as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });
addStyles(styles);

export interface RemarksProps {
  readonly tab: Tab;
  readonly title: string;
  /** Opens the tab again, which is not there for a long time. */
  readonly onSlow?: (() => void) | false;
}

export function PluginRemarks({ tab, title, onSlow = false }: RemarksProps) {
  const page = usePage();
  const contributed = page.contributions.value?.troublesOf(tab.name, title);
  return (
    <>
      <Missed tab={tab} />
      {onSlow && <Slow title={title} onRetry={onSlow} />}
      <Sampled title={title} sampled={tab.sampled ?? {}} />
      <Warnings title={words(page, 'plugin.warning', { plugin: title })} warnings={tab.warnings ?? []} />
      {contributed && <Warnings title={contributed.title} warnings={contributed.lines} retry={contributed.retry} />}
    </>
  );
}

/** That another run is shown than the chosen one, and why. */
function Missed({ tab }: { readonly tab: Tab }) {
  const page = usePage();
  const { runs } = page;
  const dismissed = useSignal<string | null>(null);
  const wanted = page.missed(tab.name);
  const shown = runs.all.value.find(({ name }) => name === page.oneOf(tab.name, runs).value);
  if (wanted === null || wanted === dismissed.value || !shown) return null;
  const why = !runs.names.value.includes(wanted)
    ? 'gone'
    : runs.rows.value.some(({ name }) => name === wanted)
      ? 'nothing'
      : 'hidden';
  return (
    <Remark
      icon="info"
      role="status"
      title={words(page, `one.${why}`, { run: wanted })}
      onDismiss={() => void (dismissed.value = wanted)}
    >
      <span>{words(page, 'one.instead', { run: shown.displayName })}</span>
    </Remark>
  );
}

/** That the tab is not there yet. */
function Slow({ title, onRetry }: { readonly title: string; readonly onRetry: () => void }) {
  const page = usePage();
  const dismissed = useSignal(false);
  if (dismissed.value) return null;
  return (
    <Remark
      icon="info"
      role="status"
      title={words(page, 'plugin.slow', { plugin: title, seconds: SLOW })}
      onDismiss={() => void (dismissed.value = true)}
    >
      <p>{words(page, 'plugin.slow.how')}</p>
      <button type="button" class="ih-button ih-small" onClick={onRetry}>
        {page.t.value('retry')}
      </button>
    </Remark>
  );
}

/** That long series are shown in part, and how to have all of them. */
function Sampled({ title, sampled }: { readonly title: string; readonly sampled: NonNullable<Tab['sampled']> }) {
  const page = usePage();
  const dismissed = useSignal(false);
  const [first] = Object.entries(sampled).sort(([, a], [, b]) => b.points / b.shown - a.points / a.shown);
  if (!first || dismissed.value) return null;
  const [name, { shown, points }] = first;
  return (
    <Remark
      icon="info"
      role="status"
      title={words(page, 'plugin.sampled', { plugin: title })}
      onDismiss={() => void (dismissed.value = true)}
    >
      <span>{words(page, 'plugin.sampled.how', { shown, points, flag: `--samples-per-plugin ${name}=0` })}</span>
    </Remark>
  );
}

interface WarningsProps {
  readonly title: string;
  /** The newest first; one goes when the request has worked. */
  readonly warnings: readonly string[];
  readonly retry?: (() => void) | undefined;
}

/** What failed of the plugin: of its requests, or of what it contributes. */
function Warnings({ title, warnings, retry }: WarningsProps) {
  const page = usePage();
  const dismissed = useSignal<readonly string[]>([]);
  useEffect(() => {
    // what worked meanwhile and fails again is news
    dismissed.value = dismissed.peek().filter((text) => warnings.includes(text));
  }, [warnings.join('\n')]);
  const [first, ...others] = warnings.filter((text) => !dismissed.value.includes(text));
  if (first === undefined) return null;
  return (
    <Remark icon="warn" role="alert" title={title} onDismiss={() => void (dismissed.value = warnings)}>
      <p>{first}</p>
      {retry && (
        <button type="button" class="ih-button ih-small" onClick={retry}>
          {page.t.value('retry')}
        </button>
      )}
      {others.length > 0 && (
        <details>
          <summary>{words(page, 'plugin.warning.more', { count: others.length })}</summary>
          {others.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </details>
      )}
    </Remark>
  );
}

interface RemarkProps {
  readonly icon: 'info' | 'warn';
  readonly role: 'alert' | 'status';
  readonly title: string;
  readonly onDismiss: () => void;
  readonly children: ComponentChildren;
}

function Remark({ icon, role, title, onDismiss, children }: RemarkProps) {
  const t = usePage().t.value;
  return (
    <div class="ih-plugin-remark" role={role}>
      <Icon name={icon} />
      <div>
        <strong>{title}</strong> {children}
      </div>
      <IconButton icon="close" small label={t('dismiss')} onClick={onDismiss} />
    </div>
  );
}
