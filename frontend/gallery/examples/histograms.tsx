import { CardGrid } from '@insight-host/kit';
import {
  decodeHistograms,
  HistogramCard,
  HistogramDisplay,
  HistogramStatus,
  HistogramTools,
} from '@insight-host/kit/histograms';
import { fakeColumns } from '@insight-host/kit/testing';
import type { JSX } from 'preact';
import type { Given } from '../given';

export function Tools({ histograms }: Given): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label="Histograms">
      <HistogramTools board={histograms} />
      <HistogramDisplay board={histograms} />
    </div>
  );
}

export function Cards({ histograms }: Given): JSX.Element {
  return (
    <CardGrid
      board={histograms}
      look="histograms"
      card={(card, place) => <HistogramCard board={histograms} card={card} place={place} />}
    />
  );
}

export function Status({ page }: Given): JSX.Element {
  const found = decodeHistograms(
    fakeColumns({}, { histograms: '{"shown": 4, "available": 9, "points": 9, "kept": 9}' }),
  );
  return (
    <>
      <HistogramStatus page={page} found={found} failure={null} onRetry={() => undefined} />
      <HistogramStatus page={page} found={null} failure="the data server is away" onRetry={() => undefined} />
    </>
  );
}
