package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// statusOf is the status that the server knows without a worker.
func (c *Client) statusOf(info *workflowpb.WorkflowExecutionInfo) Status {
	s := Status{
		Thread: strings.TrimPrefix(info.GetExecution().GetWorkflowId(), c.prefix), RunID: info.GetExecution().GetRunId(), Phase: Failed,
		Graph: attribute(info, AttributeGraph), Began: info.GetStartTime().AsTime(),
	}
	if memo := info.GetMemo().GetFields()[memoMetadata]; memo != nil {
		_ = converter.GetDefaultDataConverter().FromPayload(memo, &s.Metadata) // another program may have written it
	}
	if end := info.GetCloseTime(); end != nil {
		s.Ended = end.AsTime()
	}
	switch info.GetStatus() {
	case enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		if s.Phase = Running; attribute(info, AttributePhase) == string(Waiting) {
			s.Phase = Waiting
		}
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		s.Phase = Ended
	case enums.WORKFLOW_EXECUTION_STATUS_CANCELED, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		s.Phase = Cancelled
	}
	return s
}

// attribute reads a search attribute; empty when it is not set.
func attribute(info *workflowpb.WorkflowExecutionInfo, name string) string {
	var text string
	var data *commonpb.Payload = info.GetSearchAttributes().GetIndexedFields()[name]
	if data == nil || converter.GetDefaultDataConverter().FromPayload(data, &text) != nil {
		return ""
	}
	return text
}

// MakeAttributes creates the search attributes of runs in a namespace. Call it once; it needs an
// operator's rights. docs/scale.md shows the equivalent command.
func MakeAttributes(ctx context.Context, conn client.Client, namespace string) error {
	_, err := conn.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace,
		SearchAttributes: map[string]enums.IndexedValueType{
			AttributeGraph: enums.INDEXED_VALUE_TYPE_KEYWORD, AttributePhase: enums.INDEXED_VALUE_TYPE_KEYWORD,
		},
	})
	var exist *serviceerror.AlreadyExists
	if err != nil && !errors.As(err, &exist) {
		return fmt.Errorf("making the search attributes of runs: %w", err)
	}
	return nil
}
