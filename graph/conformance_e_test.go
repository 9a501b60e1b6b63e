package graph_test

var durableE, durableH []durable
