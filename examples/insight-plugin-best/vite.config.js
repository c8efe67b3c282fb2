import { insightPlugin } from '@insight-host/kit/build';

// contributions.tsx next to index.tsx is built too
export default insightPlugin({ entry: 'frontend/index.tsx', out: 'insight_best/static' });
