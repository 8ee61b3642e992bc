import type { ServiceState } from "#service";
import type { ClusterState } from "#store";

/** The service's state for the relay, across all replicas: the relay wakes records as long as any replica reaches the service. */
export function stateForAll(state: ServiceState, { othersServed }: Pick<ClusterState, "othersServed">): ServiceState {
  if (othersServed === 0) return state;
  const perSecond = state.perSecond === undefined ? undefined : state.perSecond * (1 + othersServed);
  return { ...state, state: "closed", perSecond };
}
