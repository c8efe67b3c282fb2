import { Content, Empty } from '@insight-host/kit';
import type { JSX } from 'preact';
import { Analysis } from './analysis';
import { retry, type LandscapeParts } from './board';
import { Comparison } from './comparison';
import { Toolbar } from './toolbar';

export function App({ board }: { readonly board: LandscapeParts }): JSX.Element {
  return (
    <div class={board.screen.value ? 'kit landscapes full' : 'kit landscapes'} data-testid="landscapes">
      <Toolbar board={board} />
      <Content board={board}>{() => <Body board={board} />}</Content>
    </div>
  );
}

function Body({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  if (board.lists.failure.value && board.lists.isComing.value) {
    return (
      <Empty title={say('failure')} text={board.lists.failure.value}>
        <button type="button" data-action="retry" onClick={() => retry(board)}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (board.lists.isComing.value && board.lists.byRun.value.size === 0)
    return <div class="workspace" aria-busy="true" />;
  return board.mode.value === 'analysis' ? <Analysis board={board} /> : <Comparison board={board} />;
}
